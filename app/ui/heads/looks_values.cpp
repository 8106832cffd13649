// The tab of the values (see looks.h): a head's values as points and a query's output as a cross,
// connected by lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/heads/looks.h"
#include "app/ui/hover.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/computed.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/analysis/weight_readings.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kLeastValueRadius = 2.2F;  // radius of a value without weight
constexpr float kMostValueRadius = 11.0F;  // radius of a value with all weight
constexpr std::size_t kMostRound = 600;    // more points than this are squares
constexpr std::size_t kMostNamed = 400;
constexpr double kSeenApart = 2e-3;  // share of the axis; farther points look distinct

/// The range of values on an axis.
struct Extent {
  double low, high;

  void take(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  double middle() const { return (low + high) * 0.5; }
  double length() const { return high - low; }
};

ChartAxis axisAbout(double middle, double half) {
  ChartAxis axis{middle - half, middle + half};
  const double step = roundedUp(half * 0.5);
  for (double k = std::ceil(axis.low / step); k * step <= axis.high; ++k) {
    axis.ticks.push_back(k * step + 0.0);
  }
  return axis;
}

/// Returns a chart that contains all values and outputs, with one scale on both axes.
Chart valueChart(const FrameContext& look, const ValuePlane& plane, const ValueMix& mix,
                 const Rect& room) {
  Extent x{mix.mean.point.x, mix.mean.point.x};
  Extent y{mix.mean.point.y, mix.mean.point.y};
  const auto take = [&](const PlanePoint& p) {
    x.take(p.x);
    y.take(p.y);
  };
  for (const PlanePoint& p : plane.values) take(p);
  take(mix.mean.headOutput);
  const double widest = std::max({x.length(), y.length(), 1e-6});
  ChartFrame frame{
      room, axisAbout(x.middle(), widest * 0.6), axisAbout(y.middle(), widest * 0.6), {}, {}};
  const Rect plot = Chart(look, frame).plot();
  // equal units on both axes, with room for the points' size
  const double width = plot.width();
  const double height = plot.height();
  const double unit = 1.22 * std::max({x.length() / width, y.length() / height,
                                       widest * 0.05 / std::max(width, height)});
  frame.x = axisAbout(x.middle(), unit * width * 0.5);
  frame.y = axisAbout(y.middle(), unit * height * 0.5);
  frame.left = plot.a.x - room.a.x;
  return {look, std::move(frame)};
}

/// Returns whether the head's output visibly differs from the weighted mean.
bool handsOnOther(const Chart& chart, const WeightedMean& mean) {
  const double apart =
      std::hypot(mean.headOutput.x - mean.point.x, mean.headOutput.y - mean.point.y);
  return apart > kSeenApart * (chart.x().high - chart.x().low);
}

/// Returns a component's name with its share of the variance, abbreviated to fit `room`.
std::string componentName(const FrameContext& look, const ValuePlane& plane, std::size_t axis,
                          float room) {
  const char* name = axis == 0 ? tr("main component") : tr("second component");
  if (plane.varianceShare[axis] <= 0.0) return trFormat("{}: nothing varies", name);
  const std::string share = fmt::format("{:.0f} %", plane.varianceShare[axis] * 100.0);
  std::string whole = trFormat("{} · {} of the variance", name, share);
  if (textSize(look.fonts.small, whole).x <= room) return whole;
  return fmt::format("{} {}", axis == 0 ? "1st" : "2nd", share);
}

/// Names next to points that never overlap; names added first have precedence.
class PointLabels {
 public:
  PointLabels(const FrameContext& look, const Rect& plot) : look_(look), plot_(plot) {}

  /// Draws the name at the right, left, top or bottom of the point, whichever is free first.
  void add(ImVec2 point, float radius, std::string_view name, ImU32 color) {
    const ImVec2 size = textSize(look_.fonts.small, name);
    const float away = radius + look_.px(3);
    const float middle = point.y - size.y * 0.5F;
    const float left = point.x - size.x * 0.5F;
    for (const ImVec2 a : {ImVec2(point.x + away, middle), ImVec2(point.x - away - size.x, middle),
                           ImVec2(left, point.y - away - size.y), ImVec2(left, point.y + away)}) {
      const Rect at = Rect::at(a, size);
      const bool covers =
          std::any_of(taken_.begin(), taken_.end(), [&](const Rect& t) { return t.overlaps(at); });
      if (covers || !plot_.contains(at)) continue;
      taken_.push_back(at);
      drawText(ImGui::GetWindowDrawList(), look_.fonts.small, a, color, name);
      return;
    }
  }

 private:
  const FrameContext& look_;
  Rect plot_;
  std::vector<Rect> taken_;
};

void drawCross(ImDrawList* list, ImVec2 p, float arm, ImU32 color, float width) {
  list->AddLine({p.x - arm, p.y - arm}, {p.x + arm, p.y + arm}, color, width);
  list->AddLine({p.x - arm, p.y + arm}, {p.x + arm, p.y - arm}, color, width);
}

class ValuePicture {
 public:
  ValuePicture(const PanelContext& panel, const ValuePlane& plane, const ValueMix& mix, Index head,
               const Rect& room)
      : panel_(panel),
        look_(panel.look),
        plane_(plane),
        mix_(mix),
        most_(weightRange(panel.trace, panel.selection.item, head).magnitude()),
        color_(headColor(look_.theme, static_cast<std::size_t>(head))),
        chart_(valueChart(look_, plane, mix, room)),
        output_(place(mix.mean.point)),
        list_(ImGui::GetWindowDrawList()) {}

  void draw() const {
    const Theme& t = look_.theme;
    chart_.drawAxes(list_);
    list_->PushClipRect(chart_.plot().a, chart_.plot().b, true);
    for (const Index key : mix_.largest) {
      const float w = weightOf(key);
      list_->AddLine(placeOf(key), output_, withAlpha(color_, 0.2F + 0.5F * w),
                     look_.px(0.7F + 3.5F * w));
    }
    for (std::size_t j = 0; j < plane_.values.size(); ++j) {
      const auto key = static_cast<Index>(j);
      const ImVec2 p = placeOf(key);
      const float r = radius(key);
      const bool used = mix_.weights[j] != 0.0F;
      const ImU32 fill = used ? withAlpha(t.value, 0.75F) : withAlpha(t.textMuted, 0.5F);
      if (plane_.values.size() > kMostRound) {
        list_->AddRectFilled({p.x - r, p.y - r}, {p.x + r, p.y + r}, fill);
      } else {
        list_->AddCircleFilled(p, r, fill);
      }
    }
    if (handsOnOther(chart_, mix_.mean)) {
      const ImVec2 p = place(mix_.mean.headOutput);
      const float arm = look_.space.tight;
      list_->AddLine(output_, p, t.bad, look_.space.hair);
      list_->AddQuadFilled({p.x, p.y - arm}, {p.x + arm, p.y}, {p.x, p.y + arm}, {p.x - arm, p.y},
                           t.bad);
    }
    drawCross(list_, output_, look_.space.small, t.panel, look_.px(5));
    drawCross(list_, output_, look_.px(5), t.text, look_.px(2.2F));
    list_->PopClipRect();
    drawNames();
  }

 private:
  ImVec2 place(const PlanePoint& p) const { return chart_.at(p.x, p.y); }
  ImVec2 placeOf(Index key) const { return place(plane_.values[static_cast<std::size_t>(key)]); }
  float weightOf(Index key) const {
    return std::min(1.0F, std::abs(mix_.weights[static_cast<std::size_t>(key)]) / most_);
  }
  float radius(Index key) const {
    return look_.px(kLeastValueRadius +
                    (kMostValueRadius - kLeastValueRadius) * std::sqrt(weightOf(key)));
  }

  void drawNames() const {
    const Theme& t = look_.theme;
    PointLabels labels(look_, chart_.plot());
    const auto labelOf = [&](Index key, ImU32 ink) {
      labels.add(placeOf(key), radius(key), tokenName(headsState(panel_), Lane::key, key), ink);
    };
    const auto nameOutput = [&] { labels.add(output_, look_.space.small, tr("output"), t.text); };
    const std::size_t most = std::min(mix_.largest.size(), kMostNamed);
    for (std::size_t n = 0; n < most; ++n) {
      if (n == 1) nameOutput();  // after the name of the largest weight
      labelOf(mix_.largest[n], t.valueText);
    }
    if (most < 2) nameOutput();
    for (std::size_t j = 0; j < std::min(plane_.values.size(), kMostNamed); ++j) {
      if (mix_.weights[j] == 0.0F) labelOf(static_cast<Index>(j), t.textMuted);
    }
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const ValuePlane& plane_;
  const ValueMix& mix_;
  float most_;  // the largest possible weight of the head
  ImU32 color_;
  Chart chart_;
  ImVec2 output_;
  ImDrawList* list_;
};

Computed<ValuePlane> wantPlane(const PanelContext& panel, const RowRef& row) {
  constexpr Index kAtOnce = 3'000'000;  // the most multiply-adds within a frame
  constexpr Index kPasses = 100;        // the approximate number of passes over the values
  const AttentionConfig& c = panel.trace.config();
  const bool little = kPasses * c.keys() * c.dK() <= kAtOnce;
  const Fingerprint key("value plane", panel.trace.revision(TensorId::v), row.item,
                        c.kvHead(row.head));
  return panel.computations.request<ValuePlane>(
      "value plane", key, little ? Schedule::now : Schedule::background, [&] {
        return [trace = panel.traceHeld, row](const std::atomic<bool>& cancelled) {
          return valuePlane(*trace, row.item, row.head, {.cancelled = &cancelled});
        };
      });
}

/// Draws the words about the picture next to it.
void valueWords(const PanelContext& panel, const ValuePlane& plane, const ValueMix& mix,
                const RowRef& row) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const Document& d = panel.trace.document();
  const AttentionConfig& c = panel.trace.config();
  ImFont* font = look.fonts.small;
  const std::string head = c.headsPerGroup() > 1 ? trFormat("Head {}, values of K/V head {}",
                                                            row.head + 1, c.kvHead(row.head) + 1)
                                                 : trFormat("Head {}", row.head + 1);
  label(font, headColor(t, static_cast<std::size_t>(row.head)), head);
  wrappedLabel(font, t.text, mixInWords(d, mix, row) + tr(", of their values"));
  const std::string after = afterMixInWords(d, mix, row);
  if (!after.empty()) wrappedLabel(font, t.bad, after);
  const double seen = plane.varianceShare[0] + plane.varianceShare[1];
  wrappedLabel(font, t.textMuted,
               seen > 0.0
                   ? trFormat("The plane of the two main components of the {} value vectors "
                              "(PCA) shows {:.0f} % of their variance; × is the output, size "
                              "and lines are weights",
                              c.keys(), seen * 100.0)
                   : tr("All value vectors are the same: they have no main component"));
}

class ValuesTab final : public OneQueryTab {
 public:
  ValuesTab()
      : OneQueryTab(
            {"values", tr("Values"),
             tr("The value vectors that are mixed, in the plane of their two main components"), 0,
             true, "output = Σ weight × value"},
            {0.34F, 130.0F, 300.0F}) {}

 private:
  void drawRow(const PanelContext& panel, const RowRef& row, const Rect& picture,
               const Rect& words) override {
    const FrameContext& look = panel.look;
    const Trace& trace = panel.trace;
    const auto plane = wantPlane(panel, row);
    if (plane.current == nullptr) {
      return drawWaiting(look, picture, plane.problem, tr("finding the main components …"));
    }
    const Fingerprint key("value mix", trace.revision(TensorId::v),
                          trace.revision(TensorId::weights), trace.revision(TensorId::heads),
                          row.item, row.head, row.query);
    const ValueMix* mix = panel.computations.computeNow<ValueMix>(
        "value mix", key, [&] { return valueMix(trace, *plane.current, row); });
    if (mix == nullptr) return;
    // the axes' names are above and below the plot
    Rect room = picture;
    const float line = fontSize(look.fonts.small) + look.space.hair;
    const Rect above = room.cutTop(line);
    const Rect below = room.cutBottom(line);
    ValuePicture(panel, *plane.current, *mix, row.head, room).draw();
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImFont* font = look.fonts.small;
    const std::string across = componentName(look, *plane.current, 0, below.width());
    drawText(list, font, below.placed(textSize(font, across), 1.0F).a, look.theme.textMuted,
             across);
    drawText(list, font, above.a, look.theme.textMuted,
             componentName(look, *plane.current, 1, above.width()));

    ImGui::SetCursorScreenPos(words.a);
    beginPart("words", words.size());
    valueWords(panel, *plane.current, *mix, row);
    ImGui::EndChild();
  }
};

}  // namespace

std::unique_ptr<Card> makeValuesTab() { return std::make_unique<ValuesTab>(); }

}  // namespace headscope::ui
