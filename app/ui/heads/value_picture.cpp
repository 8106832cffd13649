#include "app/ui/heads/value_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kSmallest = 2.2F;    // radius of a value without weight
constexpr float kLargest = 11.0F;    // of one that has all
constexpr std::size_t kRound = 600;  // more points are drawn as squares
constexpr std::size_t kLabelled = 400;
constexpr double kApart = 2e-3;  // of the axis: seen as two points

struct Bounds {
  double low, high;
  void take(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  double middle() const { return (low + high) * 0.5; }
};

std::vector<double> ticksOf(double low, double high) {
  const double step = roundedUp((high - low) / 4.0);
  std::vector<double> ticks;
  for (double k = std::ceil(low / step); k * step <= high; ++k) ticks.push_back(k * step + 0.0);
  return ticks;
}

/// A component with its share, as long as there is room for it.
std::string axisName(const Look& look, const ValuePlane& plane, std::size_t axis, float room) {
  const char* name = axis == 0 ? "main component" : "second component";
  if (plane.varianceShare[axis] <= 0.0) return fmt::format("{}: nothing varies", name);
  const std::string share = fmt::format("{:.0f} %", plane.varianceShare[axis] * 100.0);
  std::string whole = fmt::format("{} · {} of the variance", name, share);
  if (textSize(look.fonts.small, whole).x <= room) return whole;
  return fmt::format("{} {}", axis == 0 ? "1st" : "2nd", share);
}

/// Names beside points, the first given first, none over another.
class PointLabels {
 public:
  PointLabels(const Look& look, const PlainChart& chart) : look_(look), chart_(chart) {}

  /// At the point's right, else left, above or below it.
  void add(ImVec2 point, float radius, std::string_view name, ImU32 color) {
    const ImVec2 size = textSize(look_.fonts.small, name);
    const float away = radius + look_.px(3);
    const float middle = point.y - size.y * 0.5F;
    const float left = point.x - size.x * 0.5F;
    const ImVec2 places[] = {{point.x + away, middle},
                             {point.x - away - size.x, middle},
                             {left, point.y - away - size.y},
                             {left, point.y + away}};
    for (const ImVec2 a : places) {
      const ImVec2 b(a.x + size.x, a.y + size.y);
      if (a.x < chart_.a.x || b.x > chart_.b.x || a.y < chart_.a.y || b.y > chart_.b.y) continue;
      if (covers(a, b)) continue;
      taken_.emplace_back(a.x, a.y, b.x, b.y);
      drawText(ImGui::GetWindowDrawList(), look_.fonts.small, a, color, name);
      return;
    }
  }

 private:
  bool covers(ImVec2 a, ImVec2 b) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const ImVec4& t) {
      return a.x < t.z && b.x > t.x && a.y < t.w && b.y > t.y;
    });
  }

  const Look& look_;
  const PlainChart& chart_;
  std::vector<ImVec4> taken_;
};

void cross(ImDrawList* list, ImVec2 p, float arm, ImU32 color, float width) {
  list->AddLine({p.x - arm, p.y - arm}, {p.x + arm, p.y + arm}, color, width);
  list->AddLine({p.x - arm, p.y + arm}, {p.x + arm, p.y - arm}, color, width);
}

void diamond(ImDrawList* list, ImVec2 p, float arm, ImU32 color) {
  list->AddQuadFilled({p.x, p.y - arm}, {p.x + arm, p.y}, {p.x, p.y + arm}, {p.x - arm, p.y},
                      color);
}

}  // namespace

PlainChart valueAxes(const Look& look, const ValuePlane& plane, const ValueMix& mix, ImVec2 at,
                ImVec2 size) {
  Bounds x{mix.mean.point.x, mix.mean.point.x};
  Bounds y{mix.mean.point.y, mix.mean.point.y};
  const auto take = [&](const PlanePoint& p) {
    x.take(p.x);
    y.take(p.y);
  };
  for (const PlanePoint& p : plane.values) take(p);
  take(mix.mean.headOutput);
  const auto axis = [](double middle, double half) {
    return PlainAxis{middle - half, middle + half, false, ticksOf(middle - half, middle + half)};
  };
  const double widest = std::max({x.high - x.low, y.high - y.low, 1e-6});
  // the names of the axes stand above and below
  const float line = fontSize(look.fonts.small) + look.px(1);
  at.y += line;
  size.y -= line;
  PlainChart chart = placeChart(look, at, size, axis(x.middle(), widest * 0.6),
                           axis(y.middle(), widest * 0.6), line);
  // one unit is as long across as up; room for the points' own size
  const double width = chart.b.x - chart.a.x;
  const double height = chart.b.y - chart.a.y;
  const double unit = 1.22 * std::max({(x.high - x.low) / width, (y.high - y.low) / height,
                                       widest * 0.05 / std::max(width, height)});
  chart.x = axis(x.middle(), unit * width * 0.5);
  chart.y = axis(y.middle(), unit * height * 0.5);
  return chart;
}

bool handsOnOther(const PlainChart& chart, const WeightedMean& mean) {
  const double apart =
      std::hypot(mean.headOutput.x - mean.point.x, mean.headOutput.y - mean.point.y);
  return apart > kApart * (chart.x.high - chart.x.low);
}

void valuePicture(const Panel& panel, const ValuePlane& plane, const ValueMix& mix,
                  const RowRef& row, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const PlainChart chart = valueAxes(look, plane, mix, at, size);
  drawAxes(look, chart, "");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 color = headColor(t, static_cast<std::size_t>(row.head));
  const ImVec2 output = chart.at(mix.mean.point.x, mix.mean.point.y);
  const auto place = [&](Index key) {
    const PlanePoint& p = plane.values[static_cast<std::size_t>(key)];
    return chart.at(p.x, p.y);
  };
  const auto weightOf = [&](Index key) {
    return std::min(1.0F, std::abs(mix.weights[static_cast<std::size_t>(key)]));
  };
  const auto radius = [&](Index key) {
    return look.px(kSmallest + (kLargest - kSmallest) * std::sqrt(weightOf(key)));
  };
  list->PushClipRect(chart.a, chart.b, true);
  for (const Index key : mix.largest) {
    const float w = weightOf(key);
    list->AddLine(place(key), output, withAlpha(color, 0.2F + 0.5F * w), look.px(0.7F + 3.5F * w));
  }
  for (std::size_t j = 0; j < plane.values.size(); ++j) {
    const auto key = static_cast<Index>(j);
    const ImVec2 p = place(key);
    const float r = radius(key);
    const bool used = mix.weights[j] != 0.0F;
    const ImU32 fill = used ? withAlpha(t.value, 0.75F) : withAlpha(t.textMuted, 0.5F);
    if (plane.values.size() > kRound) {
      list->AddRectFilled({p.x - r, p.y - r}, {p.x + r, p.y + r}, fill);
    } else {
      list->AddCircleFilled(p, r, fill);
    }
  }
  if (handsOnOther(chart, mix.mean)) {
    const ImVec2 other = chart.at(mix.mean.headOutput.x, mix.mean.headOutput.y);
    list->AddLine(output, other, t.bad, look.px(1));
    diamond(list, other, look.px(5), t.bad);
  }
  cross(list, output, look.px(6), t.panel, look.px(5));
  cross(list, output, look.px(5), t.text, look.px(2.2F));
  list->PopClipRect();

  const auto& names = laneTokens(panel.trace, Lane::key, panel.view.item);
  PointLabels labels(look, chart);
  const auto labelOf = [&](Index key, ImU32 ink) {
    const auto j = static_cast<std::size_t>(key);
    labels.add(place(key), radius(key),
               j < names.size() ? std::string(shownToken(names[j])) : fmt::format("{}", key), ink);
  };
  const std::size_t most = std::min(mix.largest.size(), kLabelled);
  for (std::size_t n = 0; n < most; ++n) {
    if (n == 1) labels.add(output, look.px(6), "output", t.text);  // what it is made of most: first
    labelOf(mix.largest[n], t.valueText);
  }
  if (most < 2) labels.add(output, look.px(6), "output", t.text);
  for (std::size_t j = 0; j < std::min(plane.values.size(), kLabelled); ++j) {
    if (mix.weights[j] == 0.0F) labelOf(static_cast<Index>(j), t.textMuted);
  }
  ImFont* small = look.fonts.small;
  const float room = chart.b.x - at.x;
  const std::string across = axisName(look, plane, 0, room);
  const float below = at.y + size.y - fontSize(small);
  drawText(list, small, {chart.b.x - textSize(small, across).x, below}, t.textMuted, across);
  drawText(list, small, at, t.textMuted, axisName(look, plane, 1, room));
}

}  // namespace headscope::ui
