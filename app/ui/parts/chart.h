// Chart: a plot with labelled axes: curves, dots, bars and stacks over numbers, over tokens or over
// anything that can be counted. Live curves and measured bars are drawn with the same parts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/layout.h"

namespace headscope::ui {

struct ChartAxis {
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  std::vector<double> ticks = {};
  std::function<std::string(double)> text = {};  // of a tick; null: the number

  /// 0 at low, 1 at high.
  double fraction(double value) const;
  /// The value at a fraction, within the axis.
  double value(double fraction) const;
  std::string textOf(double tick) const;
};

/// From a round number to a round number, both ends and 0 among its ticks: about five steps.
ChartAxis roundAxis(double low, double high);
/// The round ticks such an axis has; never fewer than two.
std::vector<double> roundTicks(double low, double high);
/// The least of 1, 2, 3 and 5 times a power of ten that is no less than `value`.
double roundedUp(double value);
/// The least of 1, 2 and 5 times a power of ten of which at most `most` make up `range`, give or
/// take rounding.
double tickStep(double range, double most);

struct ChartPoint {
  double x = 0.0, y = 0.0;
};

/// Things counted along the x axis, several to a bar where there are more than fit.
struct ChartBars {
  Index things = 1;
  Index perBar = 1;

  /// As many bars as fit, `least` points wide each.
  static ChartBars fitting(Index things, float width, float least);
  Index count() const { return (things + perBar - 1) / perBar; }
  Index begin(Index bar) const { return bar * perBar; }
  Index end(Index bar) const { return std::min((bar + 1) * perBar, things); }
  bool several() const { return perBar > 1; }
};

/// What a chart is made of.
struct ChartFrame {
  Rect room;  // with ticks, names and labels
  ChartAxis x, y;
  std::string xName = {}, yName = {};  // rich text; inside, at the axes' ends; empty: none
  const AxisLabels* below = nullptr;   // names of what is counted along x, in place of its ticks
  bool yTicks = true;
  float left = 0.0F;        // points left of the plot at least, to stand below another chart
  float belowShare = 0.4F;  // of the height: names below that would take more are not turned
};

class Chart {
 public:
  /// Settles where the plot is.
  Chart(const FrameContext& look, ChartFrame frame);

  const Rect& plot() const { return plot_; }
  const ChartAxis& x() const { return frame_.x; }
  const ChartAxis& y() const { return frame_.y; }
  /// A point of the plot; outside the axes: at their ends.
  ImVec2 at(double x, double y) const;
  ImVec2 at(const ChartPoint& point) const { return at(point.x, point.y); }

  /// Lines at the ticks, numbers and names: before what is plotted.
  void drawAxes(ImDrawList* list) const;
  /// The y axis' numbers alone, for an axis that several charts share.
  void drawTicks(ImDrawList* list) const;
  /// A line through points; what is not finite interrupts nothing and is left out.
  void curve(ImDrawList* list, std::span<const ChartPoint> points, ImU32 color,
             float points1 = 1.5F) const;
  void dot(ImDrawList* list, const ChartPoint& point, ImU32 color, float radius) const;
  /// A vertical line over the whole plot: where one stands on the x axis.
  void cursor(ImDrawList* list, double x, ImU32 color, float points1 = 1.0F) const;

  /// The place of the n-th of `count` things along x: between two bars there is a gap where there
  /// is room for one, and none where they would vanish.
  Rect band(Index n, Index count) const;
  /// A bar there from one value to another.
  void bar(ImDrawList* list, Index n, Index count, double from, double to, ImU32 color) const;
  /// A stack there, each part in its colour.
  void stack(ImDrawList* list, Index n, Index count, std::span<const double> parts,
             std::span<const ImU32> colors) const;

  /// An invisible item over the plot, for the mouse; then what the mouse is on.
  bool item(const char* id) const;                  // true where it was clicked
  std::optional<Index> hovered(Index count) const;  // which of `count` things along x
  ChartPoint underMouse() const;

 private:
  const FrameContext& look_;
  ChartFrame frame_;
  Rect plot_;
  std::optional<ColumnLabels> labels_;
};

/// The pieces of a stack: positive ones upwards from 0, negative ones downwards, in order.
struct StackPiece {
  std::size_t part = 0;
  double from = 0.0, to = 0.0;
};
std::vector<StackPiece> stackOf(std::span<const double> parts);

/// A bar lying on a line, between what it is of and its number.
struct BarLine {
  std::string name, number;
  float share = 0.0F;  // 0 … 1 of the room that names and numbers leave
  ImU32 bar = 0, ink = 0;
  ImU32 numberInk = 0;  // 0: as the name
};
/// `names` and `numbers` are the widths that the names and numbers of all lines have.
void drawBarLine(const FrameContext& look, ImDrawList* list, Rect line, float names, float numbers,
                 const BarLine& what);

/// A chart's title and what is drawn in it, each with its colour; what does not fit wraps. Takes
/// its height off `room`.
struct ChartKey {
  std::string name;  // rich text
  ImU32 color;
};
void drawChartTitle(const FrameContext& look, Rect& room, const std::string& title,
                    const std::vector<ChartKey>& keys = {});

}  // namespace headscope::ui
