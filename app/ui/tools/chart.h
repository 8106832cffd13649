// PlainChart: a small plot with labelled axes, linear or logarithmic.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"

namespace headscope::ui {

struct PlainAxis {
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  std::vector<double> ticks = {};

  /// 0 at low, 1 at high.
  double fraction(double value) const;
  /// The value at a fraction, within the axis.
  double value(double fraction) const;
};

/// The rectangle a chart plots into, and what its sides mean.
struct PlainChart {
  ImVec2 a, b;
  PlainAxis x, y;

  /// Outside the axes: at their ends.
  ImVec2 at(double xValue, double yValue) const;
};

/// The plot's rectangle within a box that also holds the ticks, and `below` more under the x axis.
PlainChart placeChart(const Look& look, ImVec2 at, ImVec2 size, PlainAxis x, PlainAxis y,
                 float below = 0.0F);

/// Axes and ticks; the x axis' name (rich text) stands inside, at its end.
void drawAxes(const Look& look, const PlainChart& chart, const std::string& name);

struct PlainPoint {
  double x = 0.0, y = 0.0;
};
/// A line through points; what is not finite is left out.
void drawCurve(const Look& look, const PlainChart& chart, const std::vector<PlainPoint>& points,
               ImU32 color, float width);
void drawDot(const Look& look, const PlainChart& chart, const PlainPoint& point, ImU32 color,
             float radius);

/// A chart's title and what is drawn in it, each with its colour, along a line; what does not fit
/// wraps. Gives the height taken.
struct PlainKey {
  std::string name;  // rich text
  ImU32 color;
};
float drawPlainTitle(const Look& look, ImVec2 at, float width, const std::string& title,
                     const std::vector<PlainKey>& keys);

}  // namespace headscope::ui
