// Chart: a small plot with labelled axes, linear or logarithmic.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

struct ChartAxis {
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  std::vector<double> ticks = {};

  /// 0 at low, 1 at high.
  double fraction(double value) const;
  /// The value at a fraction, within the axis.
  double value(double fraction) const;
};

/// The rectangle a chart plots into, and what its sides mean.
struct Chart {
  ImVec2 a, b;
  ChartAxis x, y;

  /// Outside the axes: at their ends.
  ImVec2 at(double xValue, double yValue) const;
};

/// The least of 1, 2, 3 and 5 times a power of ten that is no less than `value`.
double roundedUp(double value);

/// The least of 1, 2 and 5 times a power of ten of which at most `most` make up `range`, give or
/// take rounding.
double tickStep(double range, double most);

/// The plot's rectangle within a box that also holds the ticks, and `below` more under the x axis.
Chart placeChart(const Look& look, ImVec2 at, ImVec2 size, ChartAxis x, ChartAxis y,
                 float below = 0.0F);

/// Axes and ticks; the x axis' name (rich text) stands inside, at its end.
void drawAxes(const Look& look, const Chart& chart, const std::string& name);

struct ChartPoint {
  double x = 0.0, y = 0.0;
};
/// A line through points; what is not finite is left out.
void drawCurve(const Look& look, const Chart& chart, const std::vector<ChartPoint>& points,
               ImU32 color, float width);
void drawDot(const Look& look, const Chart& chart, const ChartPoint& point, ImU32 color,
             float radius);

/// A chart's title and what is drawn in it, each with its colour, along a line; what does not fit
/// wraps. Gives the height taken.
struct ChartKey {
  std::string name;  // rich text
  ImU32 color;
};
float drawChartTitle(const Look& look, ImVec2 at, float width, const std::string& title,
                     const std::vector<ChartKey>& keys);

}  // namespace headscope::ui
