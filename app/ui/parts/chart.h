// Chart: a plot with labelled axes. It draws curves, dots, bars and stacks over numbers, tokens or
// any other things that can be counted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/layout.h"

namespace headscope::ui {

struct ChartAxis {
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  std::vector<double> ticks = {};
  std::function<std::string(double)> text = {};  // the text of a tick; null: its number

  /// The position of a value on the axis: 0 at low, 1 at high.
  double fraction(double value) const;
  /// The value at a position on the axis, clamped to its ends.
  double value(double fraction) const;
  std::string textOf(double tick) const;
};

/// Returns an axis between two round numbers, with about five steps; both ends and 0 have ticks.
ChartAxis roundAxis(double low, double high);
/// Returns the round ticks of such an axis, at least two.
std::vector<double> roundTicks(double low, double high);
/// Returns the smallest of 1, 2, 3 and 5 times a power of ten that is at least `value`.
double roundedUp(double value);
/// Returns the smallest of 1, 2 and 5 times a power of ten of which at most `most` make up `range`,
/// within rounding.
double tickStep(double range, double most);

struct ChartPoint {
  double x = 0.0, y = 0.0;
};

/// Things counted along the x axis; one bar stands for several where not all fit.
struct ChartBars {
  Index things = 1;
  Index perBar = 1;

  /// Returns the bars that fit into `width`, each at least `least` points wide.
  static ChartBars fitting(Index things, float width, float least);
  Index count() const { return (things + perBar - 1) / perBar; }
  Index begin(Index bar) const { return bar * perBar; }
  Index end(Index bar) const { return std::min((bar + 1) * perBar, things); }
  bool several() const { return perBar > 1; }
};

/// The description of a chart.
struct ChartFrame {
  Rect room;  // the whole chart, with ticks, names and labels
  ChartAxis x, y;
  std::string xName = {}, yName = {};  // rich text, outside the plot at the axes' ends; empty: none
  const AxisLabels* below = nullptr;   // labels of the things along x, in place of its ticks
  bool yTicks = true;
  float left = 0.0F;          // the least room left of the plot, to align charts
  float belowShare = 0.4F;    // the largest share of the height that turned names below may take
  ImFont* numbers = nullptr;  // the letters of the ticks; null: monoSmall
};

class Chart {
 public:
  /// Computes the place of the plot.
  Chart(const FrameContext& look, ChartFrame frame);

  const Rect& plot() const { return plot_; }
  const ChartAxis& x() const { return frame_.x; }
  const ChartAxis& y() const { return frame_.y; }
  /// The position of a point of the plot, clamped to the ends of the axes.
  ImVec2 at(double x, double y) const;
  ImVec2 at(const ChartPoint& point) const { return at(point.x, point.y); }

  /// Draws lines at the ticks, numbers and names. Call it before plotting.
  void drawAxes(ImDrawList* list) const;
  /// Draws only the numbers of the y axis, for an axis that several charts share.
  void drawTicks(ImDrawList* list) const;
  /// Draws a line through the points; values that are not finite are skipped without a break.
  void curve(ImDrawList* list, std::span<const ChartPoint> points, ImU32 color,
             float points1 = 1.5F) const;
  /// Draws a curve as above, with the shapes of a series (parts/series_mark.h) along it.
  void series(ImDrawList* list, std::span<const ChartPoint> points, ImU32 color,
              std::size_t mark) const;
  void dot(ImDrawList* list, const ChartPoint& point, ImU32 color, float radius) const;
  /// Draws a vertical line over the whole plot at a place of the x axis.
  void cursor(ImDrawList* list, double x, ImU32 color, float points1 = 1.0F) const;

  /// The place of the n-th of `count` things along x. There is a gap between two bars, except where
  /// bars are too narrow for it.
  Rect band(Index n, Index count) const;
  /// Draws a bar in that place from one value to another.
  void bar(ImDrawList* list, Index n, Index count, double from, double to, ImU32 color) const;
  /// Draws a stack in that place, each part in its colour.
  void stack(ImDrawList* list, Index n, Index count, std::span<const double> parts,
             std::span<const ImU32> colors) const;

  /// Adds an invisible item over the plot for the mouse; the functions below report its state.
  bool item(const char* id) const;                  // whether it was clicked
  std::optional<Index> hovered(Index count) const;  // the index of the thing along x, of `count`
  ChartPoint underMouse() const;

 private:
  /// Returns the x of the left end of the x axis's name between its last two ticks; none where it
  /// has no room there.
  std::optional<float> nameBetweenTicks() const;
  ImFont* numbersFont() const {
    return frame_.numbers != nullptr ? frame_.numbers : look_.fonts.monoSmall;
  }
  bool hasTicksBelow() const { return frame_.below == nullptr && !frame_.x.ticks.empty(); }

  const FrameContext& look_;
  ChartFrame frame_;
  Rect plot_;
  bool namesShown_ = false;  // in a low room, the names of the axes leave it to the plot
  float xNameBelow_ = 0.0F;  // the height that the x axis's name takes below the ticks
  std::optional<ColumnLabels> labels_;
};

/// Draws a line of these points whose parts join at every angle. Dear ImGui's own polylines thin
/// out where they turn back sharply.
void drawCurve(ImDrawList* list, std::span<const ImVec2> points, ImU32 color, float width);

/// One piece of a stack. Positive parts go upwards from 0, negative ones downwards, in order.
struct StackPiece {
  std::size_t part = 0;
  double from = 0.0, to = 0.0;
};
std::vector<StackPiece> stackOf(std::span<const double> parts);

/// A horizontal bar on a line, between its name and its number.
struct BarLine {
  std::string name, number;
  float share = 0.0F;  // 0 … 1 of the room between names and numbers
  ImU32 bar = 0, ink = 0;
  ImU32 numberInk = 0;  // 0: the colour of the name
};
/// `names` and `numbers` are the widths of the widest name and number of all lines.
void drawBarLine(const FrameContext& look, ImDrawList* list, Rect line, float names, float numbers,
                 const BarLine& what);

/// Draws a chart's title and a key with the colours of its parts; long keys wrap. Takes the height
/// off `room`.
struct ChartKey {
  std::string name;  // rich text
  ImU32 color;
  std::optional<std::size_t> mark = {};  // the shapes on its curve (parts/series_mark.h)
};
void drawChartTitle(const FrameContext& look, Rect& room, const std::string& title,
                    const std::vector<ChartKey>& keys = {});

}  // namespace headscope::ui
