// Temperature panel: what temperature and ÷√d_k do to one query's weights and their entropy, why
// scores are divided by √d_k, and dropout as in training.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/number_field.h"
#include "app/ui/panel.h"
#include "core/analysis/row_distribution.h"
#include "core/analysis/score_variance.h"

namespace headscope::ui {

/// What is drawn of one row of one trace.
struct RowFigures {
  std::uint64_t pass = 0;  // the trace's
  RowRef row;
  Sharpness now;
  std::vector<float> weights;                       // at the trace's own sharpness
  std::vector<float> sharper, flatter, otherway;    // at ¼ and 4 × the temperature; with ÷√d_k
                                                    // switched over
  std::vector<double> scaledEntropy, plainEntropy;  // over entropyTemperatures()
  Spread spread;
  Index keys = 0;  // that take part
};

struct TemperatureMemory {
  NumberDraft temperature, rate, seed;
  double lastRate = 0.1;  // of dropout, when it was last on
  RowFigures figures;
  std::uint64_t variancePass = 0;  // of the trace `variance` is of
  Index varianceItem = -1, varianceHead = -1;
  HeadVariance variance;
  std::vector<DrawnVariance> drawn;
};

/// The temperatures the entropy is drawn over.
const std::vector<double>& entropyTemperatures();

/// At the cursor, over the room there is.
void temperaturePanel(const Panel& panel, TemperatureMemory& memory);

}  // namespace headscope::ui
