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

/// The plot's rectangle within a box that also holds title, ticks and the x axis' name.
Chart placeChart(const Look& look, ImVec2 at, ImVec2 size, ChartAxis x, ChartAxis y,
                 float belowAxis = 0.0F);

/// Frame, ticks and names; the title stands above the frame, `below` under the middle of the axis.
void drawChart(const Look& look, const Chart& chart, const std::string& title,
               const std::string& below);

struct ChartPoint {
  double x = 0.0, y = 0.0;
};
/// A line through points; what is not finite is left out.
void drawCurve(const Look& look, const Chart& chart, const std::vector<ChartPoint>& points,
               ImU32 color, float width);
void drawDot(const Look& look, const Chart& chart, const ChartPoint& point, ImU32 color,
             float radius);

/// Names of what is drawn, each in its colour, along a line; those that do not fit wrap. Gives the
/// height taken.
struct ChartKey {
  std::string name;
  ImU32 color;
};
float drawChartKeys(const Look& look, ImVec2 at, float width, const std::vector<ChartKey>& keys);

}  // namespace headscope::ui
