// More heads: the same input and d_model with 1 to 64 heads: the number of distinct heads and the
// cost of each count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/studies/head_count.h"

namespace headscope::ui {
namespace {

constexpr float kRoomForSentence = 160.0F;  // points of height; lower cards show the brief text

struct HeadCountCurve {
  const char* name;
  ImU32 color;
  std::function<std::optional<double>(const HeadCountPoint&)> value;
};

std::string countInWords(const HeadCountPoint& point, const AttentionConfig& config, float cut) {
  const std::string heads = counted(point.heads, tr("{} head"), tr("{} heads"));
  if (!point.ran()) return heads + tr(": not run: ") + asRichText(point.why);
  std::string text = trFormat("{} of d_k {}{}: ", heads, config.dModel / point.heads,
                              config.dKDivides() ? "" : tr(" (d\\_model / heads, not head\\_dim)"));
  if (const auto distinct = point.distinct(cut)) {
    text += trFormat("{} distinct (a similarity above {:.2f} counts as one) · ", *distinct, cut);
  } else {
    text += tr("no similarity: ") + asRichText(point.why) + " · ";
  }
  text += trFormat(
      "{} parameters, {}, of which projections {}: the same for any number of heads · {} scores, "
      "which grow with it · {} ms, the best of {} · results of {}",
      withThousands(point.cost.parameters), flopsInWords(point.cost.flops),
      flopsInWords(point.cost.projectionFlops), withThousands(point.cost.scoreValues),
      number(point.ms, 3),
      point.runs == 1 ? std::string(tr("one run")) : trFormat("{} runs", withThousands(point.runs)),
      bytesInWords(point.heldBytes));
  return text;
}

/// Returns a short text of the values that differ between head counts, for small cards.
std::string countInBrief(const HeadCountPoint& point, const AttentionConfig& config, float cut) {
  const auto distinct = point.distinct(cut);
  return trFormat("{}d_k {} · {} scores · {} ms · {}",
                  distinct ? trFormat("{} of {} distinct · ", *distinct, point.heads) : "",
                  config.dModel / point.heads, withThousands(point.cost.scoreValues),
                  number(point.ms, 3), bytesInWords(point.heldBytes));
}

class MoreHeadsTab final : public Card {
 public:
  MoreHeadsTab()
      : Card({"more-heads", tr("More heads"), tr("The same input and d_model with 1 to 64 heads"),
              0, true, tr("the same input and d_model with 1 to 64 heads: differences and cost")}) {
  }
  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    const Theme& t = look.theme;
    const std::string_view problem = measure(panel);
    const float cut = panel.headsView.similarityCut;
    const bool low = Rect::rest().height() < look.px(kRoomForSentence);
    const HeadCountPoint* chosen = countButtons(panel);
    const AttentionConfig& c = panel.trace.config();
    if (!problem.empty()) {
      wrappedLabel(look.fonts.small, t.bad, problem);
    } else if (chosen != nullptr && low && chosen->ran()) {  // next to the buttons
      ImGui::SameLine(0.0F, look.space.large);
      ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y);
      richParagraph(look.fonts, look.fonts.small, t.text, countInBrief(*chosen, c, cut),
                    ImGui::GetContentRegionAvail().x);
    } else if (chosen != nullptr) {
      richParagraph(look.fonts, look.fonts.small, t.text, countInWords(*chosen, c, cut),
                    ImGui::GetContentRegionAvail().x);
    } else {
      wrappedLabel(look.fonts.small, t.textMuted,
                   trFormat("measuring … {} to go", counts_.size() - points_.size()));
    }
    const Rect room = Rect::rest();
    if (points_.empty() || room.height() < look.px(50)) return;
    const auto part = [&](int i) { return room.column(i, 3, look.space.wide); };
    const auto scaled = [](Index value, double unit) {
      return std::optional(static_cast<double>(value) / unit);
    };
    drawChart(look, part(0), tr("Distinct heads"),
              {{"distinct", t.text,
                [&](const HeadCountPoint& p) -> std::optional<double> {
                  const auto distinct = p.distinct(cut);
                  if (!distinct) return std::nullopt;
                  return static_cast<double>(*distinct);
                }}},
              true, true);
    drawChart(look, part(1), "MFLOP",
              {{tr("whole pass"), t.text,
                [&](const HeadCountPoint& p) { return scaled(p.cost.flops, 1e6); }},
               {"projections", t.text,
                [&](const HeadCountPoint& p) { return scaled(p.cost.projectionFlops, 1e6); }}},
              false);
    drawChart(
        look, part(2), tr("Measured"),
        {{"ms", t.text,
          [](const HeadCountPoint& p) { return p.ran() ? std::optional(p.ms) : std::nullopt; }},
         {tr("MB of results"), t.text,
          [&](const HeadCountPoint& p) {
            return p.ran() ? scaled(p.heldBytes, 1e6) : std::nullopt;
          }}},
        true);
  }

 private:
  /// Stores finished measurements and requests the next head count. Counts run one at a time, so
  /// that none disturbs the timing of another; a new document restarts them. Returns the reason
  /// where a count cannot be measured.
  std::string_view measure(const PanelContext& panel) {
    const DocumentPtr document = panel.trace.documentPtr();
    if (document_ != document) {
      document_ = document;
      ++documents_;
      counts_ = headCounts(document->config);
      points_.clear();
      chosen_ = 0;
    }
    while (points_.size() < counts_.size()) {
      const Index heads = counts_[points_.size()];
      const auto point = panel.computations.request<HeadCountPoint>(
          "more heads", Fingerprint("more heads", documents_, heads), Schedule::background, [&] {
            return unitsOf(
                [document, heads,
                 layers = panel.learnedLayers](const std::atomic<bool>& cancelled) {
                  return std::make_shared<HeadCountMeasure>(*document, heads, defaultMemoryBudget(),
                                                            ExecutionContext{0, &cancelled},
                                                            layers);
                },
                [](const HeadCountMeasure& measure) { return measure.point(); });
          });
      if (point.current == nullptr) return point.problem;
      points_.push_back(*point.current);
    }
    return {};
  }

  /// Draws a button per head count; returns the point of the chosen count, null while it is not
  /// measured.
  const HeadCountPoint* countButtons(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    const auto has = [&](Index count) {
      return std::find(counts_.begin(), counts_.end(), count) != counts_.end();
    };
    const Index now = panel.trace.config().numHeads;
    if (!has(chosen_)) chosen_ = has(now) ? now : counts_.back();
    rowCaption(look, tr("heads"));
    const HeadCountPoint* chosen = nullptr;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (i > 0) ImGui::SameLine(0.0F, look.px(3));
      const bool measured = i < points_.size();
      const std::string text = std::to_string(counts_[i]);
      if (pill(look, text.c_str(), counts_[i] == chosen_, measured)) chosen_ = counts_[i];
      if (measured && counts_[i] == chosen_) chosen = &points_[i];
    }
    const AttentionConfig& c = panel.document.config;
    if (chosen_ == now || c.numKvHeads != c.numHeads || !c.dKDivides()) return chosen;
    const std::string use = trFormat("use {} in the layer", chosen_);
    if (flowingPill(
            look, use,
            tr("The table only compares. This button changes the layer's number of heads"))) {
      panel.commands.push(SetDimensions{c.dModel, chosen_, chosen_, 0}, "heads");
    }
    return chosen;
  }

  /// Draws curves over the head counts on a logarithmic axis, from the points that have a value.
  void drawChart(const FrameContext& look, Rect room, const std::string& title,
                 const std::vector<HeadCountCurve>& curves, bool logarithmic,
                 bool diagonal = false) const {
    const auto most = static_cast<double>(counts_.back());
    std::vector<ChartKey> keys;
    std::vector<std::vector<ChartPoint>> lines;
    double top = 1.0;
    double bottom = 1e300;
    for (const HeadCountCurve& curve : curves) {
      keys.push_back({curve.name, curve.color, keys.size()});
      lines.emplace_back();
      for (const HeadCountPoint& point : points_) {
        const auto value = curve.value(point);
        if (!value) continue;
        lines.back().push_back({static_cast<double>(point.heads), *value});
        top = std::max(top, *value);
        if (*value > 0.0) bottom = std::min(bottom, *value);
      }
    }
    if (diagonal) {
      keys.push_back({tr("if all differed"), look.theme.textMuted});
      top = most;
    }
    drawChartTitle(look, room, title, keys);
    ChartAxis x{1.0, std::max(2.0, most), true};
    for (const Index count : counts_) x.ticks.push_back(static_cast<double>(count));
    ChartAxis y = roundAxis(0.0, top);
    if (logarithmic) {
      y = {std::pow(10.0, std::floor(std::log10(std::min(bottom, top)))), roundedUp(top), true};
      if (y.high <= y.low) y.high = y.low * 10.0;
      for (double tick = y.low; tick <= y.high * 1.001; tick *= 10.0) y.ticks.push_back(tick);
    }
    const Chart chart(look, {room, x, y, "heads", {}});
    ImDrawList* list = ImGui::GetWindowDrawList();
    chart.drawAxes(list);
    chart.cursor(list, static_cast<double>(chosen_), look.theme.accentSoft, 5.0F);
    if (diagonal) {
      const std::vector<ChartPoint> all{{1.0, 1.0}, {x.high, x.high}};
      chart.curve(list, all, look.theme.textMuted, 1.0F);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      chart.series(list, lines[i], curves[i].color, i);
    }
  }

  DocumentPtr document_;                // the document measured
  Index documents_ = 0;                 // the number of documents so far
  std::vector<Index> counts_;           // all head counts
  std::vector<HeadCountPoint> points_;  // the points measured, in this order
  Index chosen_ = 0;                    // a head count; 0: the document's
};

}  // namespace

std::unique_ptr<Card> makeMoreHeadsTab() { return std::make_unique<MoreHeadsTab>(); }

}  // namespace headscope::ui
