// Temperature charts: the three charts of the temperature tool and their data.
#pragma once

#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"
#include "core/analysis/sharpness.h"
#include "core/document/fwd.h"

namespace headscope::ui {

struct PanelContext;

/// The data of the charts for one row of weights.
struct RowFigures {
  RowRef row;
  Sharpness now;
  std::vector<float> weights;                     // at the trace's own temperature and scale
  std::vector<float> sharper, flatter, otherway;  // at ¼ and 4 × the temperature; ÷√d_k switched
  std::vector<double> scaledEntropy, plainEntropy;  // over entropyTemperatures()
  Spread spread;
  Index keys = 0;  // the number of keys that take part
};
RowFigures rowFigures(const Trace& trace, const RowRef& row);

/// The variance of a head's scores, and their divisor.
struct MeasuredVariance {
  Index item = 0, head = 0;
  HeadVariance of;
  Index dK = 1;
  Sharpness sharpness;
};

/// Draws the weights per key: bars as they are, lines at other temperatures and with ÷√d_k
/// switched. A click chooses a key's cell.
void distributionChart(const PanelContext& panel, const RowFigures& figures, Rect room);

/// Draws entropy over temperature, with and without ÷√d_k. Dragging sets the temperature.
void entropyChart(const PanelContext& panel, const RowFigures& figures, Rect room);

/// Draws the variance of scores over d_k: expected, drawn at random, and this head's where it is
/// known.
void varianceChart(const PanelContext& panel, Index head, const MeasuredVariance* measured,
                   const std::vector<DrawnVariance>& drawn, Rect room);

}  // namespace headscope::ui
