// Temperature charts: the three pictures of the temperature tool, and what is drawn in them.
#pragma once

#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "core/analysis/sharpness.h"

namespace headscope::ui {

/// What is drawn of one row of weights.
struct RowFigures {
  RowRef row;
  Sharpness now;
  std::vector<float> weights;                       // at the trace's own sharpness
  std::vector<float> sharper, flatter, otherway;    // at ¼ and 4 × the temperature; with ÷√d_k
                                                    // switched over
  std::vector<double> scaledEntropy, plainEntropy;  // over entropyTemperatures()
  Spread spread;
  Index keys = 0;  // that take part
};
RowFigures rowFigures(const Trace& trace, const RowRef& row);

/// The variance of a head's scores, and what they were divided by.
struct MeasuredVariance {
  Index item = 0, head = 0;
  HeadVariance of;
  Index dK = 1;
  Sharpness sharpness;
};

/// Weights per key: bars as they are, lines at other temperatures and with ÷√d_k switched over. A
/// click chooses a key's cell.
void distributionChart(const PanelContext& panel, const RowFigures& figures, Rect room);

/// Entropy over temperature, with and without ÷√d_k. Dragging sets the temperature.
void entropyChart(const PanelContext& panel, const RowFigures& figures, Rect room);

/// The variance of scores over d_k: expected, drawn, and this head's where it is known.
void varianceChart(const PanelContext& panel, Index head, const MeasuredVariance* measured,
                   const std::vector<DrawnVariance>& drawn, Rect room);

}  // namespace headscope::ui
