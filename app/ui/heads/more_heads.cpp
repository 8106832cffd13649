#include "app/ui/heads/more_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/tools/chart.h"
#include "app/ui/widgets.h"
#include "core/ledger.h"

namespace headscope::ui {
namespace {

void askForNext(MoreHeadsMemory& memory) {
  if (memory.points.size() == memory.counts.size()) return;
  const Index heads = memory.counts[memory.points.size()];
  memory.task.request([document = memory.document, heads](const std::atomic<bool>& cancelled) {
    Execution execution;
    execution.cancelled = &cancelled;
    return measureHeadCount(*document, heads, defaultMemoryBudget(), execution);
  });
}

/// Takes what was measured, and asks for the next count; starts anew for another document.
void follow(const Panel& panel, MoreHeadsMemory& memory) {
  if (memory.document != panel.trace.documentPtr()) {
    memory.document = panel.trace.documentPtr();
    memory.counts = headCounts(memory.document->config);
    memory.points.clear();
    memory.error.clear();
    memory.task.take();
    askForNext(memory);
  }
  auto outcome = memory.task.take();
  if (!outcome) return;
  memory.error = std::move(outcome->error);
  if (!outcome->result) return;
  memory.points.push_back(std::move(*outcome->result));
  askForNext(memory);
}

using Value = std::function<std::optional<double>(const HeadCountPoint&)>;

struct Curve {
  const char* name;
  ImU32 color;
  Value value;
};

/// Head counts along the bottom, logarithmic; the curves of the points that have a value.
class CountChart {
 public:
  CountChart(const Panel& panel, const MoreHeadsMemory& memory)
      : look_(panel.look), memory_(memory) {}

  void draw(ImVec2 at, ImVec2 size, const std::string& title, const std::vector<Curve>& curves,
            bool logarithmic, bool diagonal = false) {
    std::vector<PlainKey> keys;
    for (const Curve& curve : curves) keys.push_back({curve.name, curve.color});
    if (diagonal) keys.push_back({"if all differed", look_.theme.textMuted});
    const float head = drawPlainTitle(look_, at, size.x, title, keys);
    double top = 1.0;
    double bottom = 1e300;
    for (const Curve& curve : curves) {
      for (const HeadCountPoint& point : memory_.points) {
        const auto value = curve.value(point);
        if (!value) continue;
        top = std::max(top, *value);
        if (*value > 0.0) bottom = std::min(bottom, *value);
      }
    }
    if (diagonal) top = static_cast<double>(memory_.counts.back());
    bottom = std::min(bottom, top);
    PlainAxis x{1.0, std::max(2.0, static_cast<double>(memory_.counts.back())), true, {}};
    for (const Index count : memory_.counts) x.ticks.push_back(static_cast<double>(count));
    PlainAxis y{0.0, roundedUp(top), false, {}};
    if (logarithmic) {
      y = {std::pow(10.0, std::floor(std::log10(bottom))), roundedUp(top), true, {}};
      if (y.high <= y.low) y.high = y.low * 10.0;
      for (double tick = y.low; tick <= y.high * 1.001; tick *= 10.0) y.ticks.push_back(tick);
    } else {
      for (int i = 0; i <= 4; ++i) y.ticks.push_back(y.high * i / 4.0);
    }
    const PlainChart chart = placeChart(look_, {at.x, at.y + head}, {size.x, size.y - head}, x, y);
    drawAxes(look_, chart, "heads");
    mark(chart);
    if (diagonal) {
      drawCurve(look_, chart, {{1.0, 1.0}, {x.high, x.high}}, look_.theme.textMuted, 1.0F);
    }
    for (const Curve& curve : curves) drawOne(chart, curve);
  }

 private:
  /// The number of heads that is looked at.
  void mark(const PlainChart& chart) const {
    if (memory_.chosen < 1) return;
    const ImVec2 p = chart.at(static_cast<double>(memory_.chosen), chart.y.low);
    ImGui::GetWindowDrawList()->AddLine({p.x, chart.a.y}, {p.x, chart.b.y}, look_.theme.accentSoft,
                                        look_.px(5));
  }

  void drawOne(const PlainChart& chart, const Curve& curve) const {
    std::vector<PlainPoint> line;
    for (const HeadCountPoint& point : memory_.points) {
      const auto value = curve.value(point);
      if (value) line.push_back({static_cast<double>(point.heads), *value});
    }
    drawCurve(look_, chart, line, curve.color, 2.0F);
    for (const PlainPoint& point : line) drawDot(look_, chart, point, curve.color, 3.0F);
  }

  const Look& look_;
  const MoreHeadsMemory& memory_;
};

/// Each count as a button; gives the point of the chosen one.
const HeadCountPoint* countButtons(const Panel& panel, MoreHeadsMemory& memory) {
  const Look& look = panel.look;
  if (std::find(memory.counts.begin(), memory.counts.end(), memory.chosen) == memory.counts.end()) {
    const Index now = panel.trace.config().numHeads;
    const bool there =
        std::find(memory.counts.begin(), memory.counts.end(), now) != memory.counts.end();
    memory.chosen = there ? now : memory.counts.back();
  }
  inlineLabel(look, look.fonts.small, look.theme.textMuted, "heads");
  const HeadCountPoint* chosen = nullptr;
  for (std::size_t i = 0; i < memory.counts.size(); ++i) {
    const Index count = memory.counts[i];
    if (i > 0) ImGui::SameLine(0.0F, look.px(3));
    const bool measured = i < memory.points.size();
    if (pill(look, std::to_string(count).c_str(), count == memory.chosen, measured)) {
      memory.chosen = count;
    }
    if (measured && memory.points[i].heads == memory.chosen) chosen = &memory.points[i];
  }
  return chosen;
}

std::string inWords(const HeadCountPoint& point, const AttentionConfig& config, float cut) {
  const std::string heads = point.heads == 1 ? "1 head" : fmt::format("{} heads", point.heads);
  if (!point.ran()) return heads + ": not run: " + point.why;
  std::string text = fmt::format("{} of d_k {}: ", heads, config.dModel / point.heads);
  if (const auto distinct = point.distinct(cut)) {
    text += fmt::format("{} distinct (more alike than {:.2f} count as one) · ", *distinct, cut);
  } else {
    text += "no similarity: " + point.why + " · ";
  }
  text += fmt::format(
      "{} parameters, {}, of which projections {}: the same for any number of heads · {} scores, "
      "which grow with it · {} ms, the best of {} · results of {}",
      withThousands(point.cost.parameters), flopsInWords(point.cost.flops),
      flopsInWords(point.cost.projectionFlops), withThousands(point.cost.scoreValues),
      number(point.ms, 3), point.runs == 1 ? "one run" : fmt::format("{} runs", point.runs),
      bytesInWords(point.heldBytes));
  return text;
}

}  // namespace

void moreHeadsTab(const Panel& panel, MoreHeadsMemory& memory) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  follow(panel, memory);
  const float cut = panel.view.heads.similarityCut;
  const HeadCountPoint* chosen = countButtons(panel, memory);
  const std::size_t left = memory.counts.size() - memory.points.size();
  ImGui::PushTextWrapPos(0.0F);
  if (!memory.error.empty()) {
    label(look.fonts.small, t.bad, memory.error);
  } else if (chosen != nullptr) {
    label(look.fonts.small, t.text, inWords(*chosen, panel.trace.config(), cut));
  } else {
    label(look.fonts.small, t.textMuted, fmt::format("measuring … {} to go", left));
  }
  ImGui::PopTextWrapPos();
  if (memory.points.empty()) return;

  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = look.px(24);
  const ImVec2 size((room.x - 2 * gap) / 3.0F, room.y);
  if (size.y < look.px(50)) return;
  CountChart chart(panel, memory);
  const auto at3 = [&](int i) {
    return ImVec2(at.x + static_cast<float>(i) * (size.x + gap), at.y);
  };
  chart.draw(at3(0), size, "Distinct heads",
             {{"distinct", t.accent,
               [cut](const HeadCountPoint& p) -> std::optional<double> {
                 const auto distinct = p.distinct(cut);
                 if (!distinct) return std::nullopt;
                 return static_cast<double>(*distinct);
               }}},
             true, true);
  const auto scaled = [](Index value, double unit) {
    return std::optional<double>(static_cast<double>(value) / unit);
  };
  chart.draw(at3(1), size, "MFLOP",
             {{"whole pass", headColor(t, 0),
               [&](const HeadCountPoint& p) { return scaled(p.cost.flops, 1e6); }},
              {"projections", headColor(t, 1),
               [&](const HeadCountPoint& p) { return scaled(p.cost.projectionFlops, 1e6); }}},
             false);
  chart.draw(at3(2), size, "Measured",
             {{"ms", headColor(t, 4),
               [](const HeadCountPoint& p) -> std::optional<double> {
                 if (!p.ran()) return std::nullopt;
                 return p.ms;
               }},
              {"MB of results", headColor(t, 5),
               [&](const HeadCountPoint& p) -> std::optional<double> {
                 if (!p.ran()) return std::nullopt;
                 return static_cast<double>(p.heldBytes) / 1e6;
               }}},
             true);
}

}  // namespace headscope::ui
