#include "app/ui/heads/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/menu.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr float kFilled = 0.33F;   // the largest share of an area that discs fill
constexpr float kNear = 9.0F;      // half heights of a disc: the limit of displacement
constexpr float kSideways = 3.0F;  // the cost of a step sideways over one up or down

constexpr float kLeastRadius = 3.5F;
constexpr float kMostRadius = 9.0F;
constexpr float kNumberedRadius = 7.0F;  // smaller discs have no room for a number
constexpr float kLeastRows = 5.0F;       // radii: the least plot height for numbered discs
constexpr float kMostPlain = 4.5F;       // the largest radius without a number
constexpr float kTogether = 2.5F;        // closer values share a disc
constexpr float kDot = 2.5F;             // radius of the dot at a displaced disc's value

float squared(float x) { return x * x; }

Rect around(ImVec2 at, ImVec2 half) {
  return {{at.x - half.x, at.y - half.y}, {at.x + half.x, at.y + half.y}};
}

/// Draws an axis' name at the cursor; a click opens a list of all metrics. Returns whether it is
/// pointed at.
bool scatterAxisName(const FrameContext& look, const char* id, Metric metric, std::string& key,
                     bool patches, float room) {
  ImFont* font = look.fonts.small;
  const std::string text = elided(font, titleWithUnit(metric) + " ▾", room);
  const ImVec2 size = textSize(font, text);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(id);
  if (ImGui::InvisibleButton("choose", {size.x, size.y + look.space.thin})) openMenu("metrics");
  const bool pointed = ImGui::IsItemHovered();
  tip(look, definitionText(metric));
  drawText(ImGui::GetWindowDrawList(), font, at, pointed ? look.theme.text : look.theme.textMuted,
           text);
  if (beginPopup("metrics")) {
    for (const MetricInfo& m : metricsFor(patches)) {
      if (ImGui::MenuItem(titleWithUnit(m.metric).c_str(), nullptr, m.metric == metric)) {
        key = m.key;
      }
    }
    ImGui::EndPopup();
  }
  ImGui::PopID();
  return pointed;
}

/// Returns "3" or "2–5"; "26 heads" where the list would be long.
std::string discText(const std::vector<Index>& heads) {
  constexpr std::size_t kLong = 9;
  if (heads.size() == 1) return std::to_string(heads.front() + 1);
  const std::string text = numbersInWords(heads);
  return text.size() <= kLong ? text : trFormat("{} heads", heads.size());
}

/// A disc for the heads whose values look equal.
struct HeadDisc {
  std::vector<Index> heads;
  std::string text;  // "3", "2–5", "26 heads"
  ImVec2 value;      // the place of its value
  ImVec2 place;      // the place of the disc; displaced where it would cover another
  ImVec2 half;       // half of width and height

  bool isOf(Index head) const { return std::find(heads.begin(), heads.end(), head) != heads.end(); }
};

struct ScatterPoint {
  Index head;
  double x, y;
};

std::vector<ScatterPoint> scatterPoints(const HeadReport& report, const ScatterAxes& axes) {
  std::vector<ScatterPoint> points;
  for (std::size_t h = 0; h < report.metrics.size(); ++h) {
    const MetricValue& x = report.metrics[h][axes.x];
    const MetricValue& y = report.metrics[h][axes.y];
    if (x && y) points.push_back({static_cast<Index>(h), *x, *y});
  }
  return points;
}

}  // namespace

ChartAxis axisAround(std::span<const double> values) {
  constexpr double kMostSteps = 5.0;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double low = *least;
  double high = *most;
  if (low >= 0.0 && (high - low > 0.6 * high || high == low)) low = 0.0;
  if (high <= low) high = low + 1.0;
  const double magnitude = std::max(std::abs(low), std::abs(high));
  const double finest = std::pow(10.0, std::floor(std::log10(magnitude)) - 2.0);
  const double step = std::max(tickStep(high - low, kMostSteps), finest);
  ChartAxis axis;
  axis.low = std::floor(low / step + 1e-9) * step;
  axis.high = std::ceil(high / step - 1e-9) * step;
  const auto count = static_cast<int>(std::round((axis.high - axis.low) / step));
  for (int i = 0; i <= count; ++i) axis.ticks.push_back(axis.low + i * step);
  return axis;
}

float discRadius(std::size_t count, ImVec2 area, float least, float most) {
  const float share =
      area.x * area.y * kFilled / static_cast<float>(std::max<std::size_t>(count, 1));
  return std::clamp(std::sqrt(share) * 0.5F, least, most);
}

ChartAxis withMargin(ChartAxis axis, float pixels, float length) {
  const double inner = std::max(1.0, static_cast<double>(length - 2 * pixels));
  const double margin = (axis.high - axis.low) * static_cast<double>(pixels) / inner;
  axis.low -= margin;
  axis.high += margin;
  return axis;
}

std::vector<std::vector<std::size_t>> together(const std::vector<ImVec2>& places, float within) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) {
      const ImVec2 first = places[g.front()];
      return squared(first.x - places[i].x) + squared(first.y - places[i].y) <= squared(within);
    });
    if (group == groups.end()) {
      groups.push_back({i});
    } else {
      group->push_back(i);
    }
  }
  return groups;
}

std::vector<std::optional<ImVec2>> discPlaces(const std::vector<Disc>& discs, float dot,
                                              const Rect& room) {
  constexpr float kGap = 1.0F;
  std::vector<std::optional<ImVec2>> places(discs.size());
  std::vector<Rect> taken;
  const auto isFree = [&](const Rect& box) {
    return std::none_of(taken.begin(), taken.end(), [&](const Rect& t) { return t.overlaps(box); });
  };
  const auto boxAt = [&](const Disc& disc, ImVec2 at) {
    return around(at, disc.half).outset(kGap * 0.5F);
  };
  // discs inside that cover no other disc stay
  std::vector<std::size_t> displaced;
  for (std::size_t i = 0; i < discs.size(); ++i) {
    const Rect box = boxAt(discs[i], discs[i].at);
    bool stays = room.contains(around(discs[i].at, discs[i].half));
    for (std::size_t j = 0; j < discs.size() && stays; ++j) {
      stays = i == j || !box.overlaps(boxAt(discs[j], discs[j].at));
    }
    if (!stays) {
      displaced.push_back(i);
      continue;
    }
    places[i] = discs[i].at;
    taken.push_back(box);
  }
  // other discs move to the nearest free place that covers no other disc's dot
  for (const std::size_t i : displaced) {
    const Disc& disc = discs[i];
    const float step = std::max(1.0F, disc.half.y * 0.5F);
    // a disc may cover its own dot only when centred on it
    const auto coversDot = [&](ImVec2 at) {
      const bool home = at.x == disc.at.x && at.y == disc.at.y;
      return std::any_of(displaced.begin(), displaced.end(), [&](std::size_t j) {
        return !(home && j == i) && boxAt(disc, at).overlaps(around(discs[j].at, {dot, dot}));
      });
    };
    float least = kNear * disc.half.y;
    const auto down = static_cast<int>(room.height() / step);
    const auto across = static_cast<int>(room.width() / step);
    for (int y = -down; y <= down; ++y) {
      for (int x = -across; x <= across; ++x) {
        const ImVec2 at(disc.at.x + static_cast<float>(x) * step,
                        disc.at.y + static_cast<float>(y) * step);
        const float way = kSideways * std::abs(at.x - disc.at.x) + std::abs(at.y - disc.at.y) +
                          (at.y > disc.at.y ? 0.5F : 0.0F);  // prefers upwards
        if (way >= least || !room.contains(around(at, disc.half))) continue;
        if (!isFree(boxAt(disc, at)) || coversDot(at)) continue;
        least = way;
        places[i] = at;
      }
    }
    if (places[i]) taken.push_back(boxAt(disc, *places[i]));
  }
  return places;
}

ScatterAxes scatterAxes(const HeadsView& view, bool patches) {
  const Metric far = patches ? Metric::patchDistance : Metric::meanDistance;
  const auto shown = [&](const std::string& key, Metric otherwise) {
    const Metric metric = metricFromKey(key).value_or(otherwise);
    const auto offered = metricsFor(patches);
    const bool has = std::ranges::find(offered, metric, &MetricInfo::metric) != offered.end();
    return has ? metric : far;
  };
  return {shown(view.scatterX, far), shown(view.scatterY, Metric::entropy)};
}

namespace {

/// Returns the discs of these heads, whose values are at `values`.
std::vector<HeadDisc> placedDiscs(const FrameContext& look, const Rect& room,
                                  const std::vector<ScatterPoint>& points,
                                  const std::vector<ImVec2>& values) {
  std::vector<HeadDisc> discs;
  for (const auto& group : together(values, look.px(kTogether))) {
    HeadDisc disc;
    for (const std::size_t i : group) disc.heads.push_back(points[i].head);
    disc.text = discText(disc.heads);
    disc.value = disc.place = values[group.front()];
    discs.push_back(std::move(disc));
  }
  const float radius =
      discRadius(discs.size(), room.size(), look.px(kLeastRadius), look.px(kMostRadius));
  const bool numbered = radius >= look.px(kNumberedRadius) && room.height() >= kLeastRows * radius;
  std::vector<Disc> wanted;
  for (HeadDisc& disc : discs) {
    const float text = textSize(look.fonts.tiny, disc.text).x * 0.5F + look.space.tight;
    disc.half = {disc.heads.size() > 1 ? std::max(radius, text) : radius, radius};
    if (!numbered) {
      disc.text.clear();
      disc.half.x = disc.half.y = std::min(radius, look.px(kMostPlain));
    }
    wanted.push_back({disc.value, disc.half});
  }
  if (numbered) {
    const auto places = discPlaces(wanted, look.px(kDot), room);
    for (std::size_t i = 0; i < places.size(); ++i) {
      HeadDisc& disc = discs[i];
      if (places[i]) {
        disc.place = *places[i];
      } else {
        disc.text.clear();
        disc.half = {look.px(kLeastRadius), look.px(kLeastRadius)};
      }
    }
  }
  return discs;
}

/// Draws a line from a displaced disc to the dot at its value.
void tieDisc(ImDrawList* list, const FrameContext& look, const HeadDisc& disc, ImU32 color) {
  const ImVec2 from = disc.value;
  const float inner = disc.half.x - disc.half.y;  // half the straight part of a long disc
  const ImVec2 to(std::clamp(from.x, disc.place.x - inner, disc.place.x + inner), disc.place.y);
  const float way = std::hypot(to.x - from.x, to.y - from.y);
  if (way < look.space.hair) return;
  const float share = std::max(0.0F, 1.0F - disc.half.y / way);
  const ImVec2 end(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  list->AddLine(from, end, look.theme.panel, look.px(3));
  list->AddLine(from, end, color, look.px(1.2F));
  list->AddCircleFilled(from, look.px(kDot + 1), look.theme.panel);
  list->AddCircleFilled(from, look.px(kDot), color);
}

/// Draws the discs; returns the one pointed at.
const HeadDisc* drawDiscs(const PanelContext& panel, const std::vector<HeadDisc>& discs) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  Index& chosen = panel.selection.head;
  const HeadDisc* pointed = nullptr;
  const auto colorOf = [&](const HeadDisc& disc) {
    const Index head = disc.isOf(chosen) ? chosen : disc.heads.front();
    return headColor(t, static_cast<std::size_t>(head));
  };
  for (const HeadDisc& disc : discs) {
    const Rect box = around(disc.place, disc.half);
    ImGui::SetCursorScreenPos(box.a);
    ImGui::PushID(static_cast<int>(disc.heads.front()));
    if (ImGui::InvisibleButton("disc", box.size())) {
      // the next head of the disc after the chosen one
      const auto at = std::find(disc.heads.begin(), disc.heads.end(), chosen);
      const bool another = at != disc.heads.end() && at + 1 != disc.heads.end();
      chosen = another ? *(at + 1) : disc.heads.front();
    }
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) pointed = &disc;
    ImGui::PopID();
    const bool numbered = !disc.text.empty();
    const ImU32 color = colorOf(disc);
    list->AddRectFilled(box.a, box.b, numbered ? color : withAlpha(color, 0.75F), disc.half.y);
    if (numbered) {
      drawTextCentred(list, look.fonts.tiny, disc.place, legibleOn(color), disc.text);
    }
    if (disc.isOf(chosen) || hovered) {
      const float out = look.px(1.5F);
      const Rect ring = box.outset(out);
      list->AddRect(ring.a, ring.b, t.text, disc.half.y + out, 0, out);
    }
  }
  for (const HeadDisc& disc : discs) tieDisc(list, look, disc, colorOf(disc));
  return pointed;
}

}  // namespace

ScatterPick scatter(const PanelContext& panel, const HeadReport& report, Rect room) {
  const FrameContext& look = panel.look;
  HeadsView& view = panel.headsView;
  const ScatterAxes axes = scatterAxes(view, report.patches);
  const float name = fontSize(look.fonts.small) + look.space.tight;
  const Rect above = room.cutTop(name);
  const Rect below = room.cutBottom(name);
  ScatterPick pick;
  ImGui::SetCursorScreenPos(above.a);
  if (scatterAxisName(look, "y axis", axes.y, view.scatterY, report.patches, above.width()))
    pick.metric = axes.y;

  const std::vector<ScatterPoint> points = scatterPoints(report, axes);
  if (points.empty()) {
    pick.empty = true;
    ImGui::SetCursorScreenPos({room.a.x, room.a.y + look.space.small});
    for (const Metric metric : {axes.y, axes.x}) {
      for (const std::string& why : undefinedInWords(report, metric)) {
        wrappedLabel(look.fonts.small, look.theme.text, why);
      }
      if (axes.x == axes.y) break;
    }
  } else {
    std::vector<double> xs, ys;
    for (const ScatterPoint& point : points) {
      xs.push_back(point.x);
      ys.push_back(point.y);
    }
    ChartFrame frame{room, axisAround(xs), axisAround(ys), {}, {}};
    const Rect plot = Chart(look, frame).plot();
    // the margin keeps discs off the axes' numbers
    const float margin = look.px(kMostRadius) + look.space.hair;
    frame.x = withMargin(std::move(frame.x), margin, plot.width());
    frame.y =
        withMargin(std::move(frame.y), std::min(margin, plot.height() * 0.25F), plot.height());
    const Chart chart(look, std::move(frame));
    chart.drawAxes(ImGui::GetWindowDrawList());
    std::vector<ImVec2> values;
    Fingerprint key("discs of heads", look.scale, plot.width(), plot.height());
    for (const ScatterPoint& point : points) {
      values.push_back(chart.at(point.x, point.y));
      key.add(point.head).add(values.back().x).add(values.back().y);
    }
    const auto* discs = panel.computations.computeNow<std::vector<HeadDisc>>(
        tr("discs of heads"), key, [&] { return placedDiscs(look, plot, points, values); });
    if (discs == nullptr) return pick;
    if (const HeadDisc* disc = drawDiscs(panel, *discs)) {
      pick.head = disc->isOf(panel.selection.head) ? panel.selection.head : disc->heads.front();
    }
    const Index said = pick.head.value_or(panel.selection.head);
    for (const HeadDisc& disc : *discs) {
      if (!disc.isOf(said)) continue;
      pick.together = disc.heads;
      std::erase(pick.together, said);
    }
  }

  const std::string title = titleWithUnit(axes.x) + " ▾";
  const float width = std::min(textSize(look.fonts.small, title).x, below.width());
  ImGui::SetCursorScreenPos({below.b.x - width, below.a.y + look.space.thin});
  if (scatterAxisName(look, "x axis", axes.x, view.scatterX, report.patches, below.width()))
    pick.metric = axes.x;
  ImGui::SetCursorScreenPos({below.a.x, below.b.y});
  return pick;
}

}  // namespace headscope::ui
