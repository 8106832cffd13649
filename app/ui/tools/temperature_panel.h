// Temperature panel: what temperature and ÷√d_k do to one query's weights and their entropy, why
// scores are divided by √d_k, and dropout as in training.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/background.h"
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

/// Which scores a variance is of.
struct VarianceSubject {
  Index item = 0, head = 0;
  std::uint64_t rawScores = 0, scores = 0;  // their revisions

  bool operator==(const VarianceSubject&) const = default;
};

/// A head's variance, and what its scores were divided by.
struct MeasuredVariance {
  HeadVariance of;
  Index dK = 1;
  Sharpness sharpness;
};

struct TemperatureMemory {
  NumberDraft temperature, rate, seed;
  double lastRate = 0.1;  // of dropout, when it was last on
  RowFigures figures;
  BackgroundTask<MeasuredVariance> measuring;
  std::optional<VarianceSubject> asked;      // the newest request
  std::optional<MeasuredVariance> variance;  // the last there is of its item and head
  std::vector<DrawnVariance> drawn;
};

/// The temperatures the entropy is drawn over.
const std::vector<double>& entropyTemperatures();

/// At the cursor, over the room there is.
void temperaturePanel(const Panel& panel, TemperatureMemory& memory);

}  // namespace headscope::ui
