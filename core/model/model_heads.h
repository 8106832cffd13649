// Model heads: the metrics of every head of every layer in a model's pass, and the standard probe
// of heads: random tokens repeated once.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/model/model_trace.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::model {

/// The metrics and the label of each head in a pass, indexed by placeOf. Does not keep the pass
/// alive.
struct MeasuredHeads {
  std::vector<std::weak_ptr<const Trace>> layers;  // measured
  std::vector<HeadMetrics> metrics;
  std::vector<HeadLabel> labels;
};

struct MeasuredPass : MeasuredHeads {
  ModelTracePtr trace;
};

/// Measures the heads of a pass, unit by unit: first the layers of the pass, where it has not run
/// yet, then the heads of one layer after the other.
class ModelMeasure {
 public:
  /// Measures a finished pass. Heads whose layer trace is the same object in `previous` (may be
  /// null; must live as long) are copied from there. A layer whose trace is not held is computed
  /// again.
  ModelMeasure(ModelTracePtr trace, const MeasuredHeads* previous,
               const ExecutionContext& execution);
  /// Runs the pass first, without a previous pass. Throws as runModel does.
  ModelMeasure(const ModelDocumentPtr& document, const ExecutionContext& execution,
               Index budgetBytes);

  /// Runs the next unit. True where that was the last one, or the measurement was cancelled.
  bool runUnit();
  /// The result, after the last unit; nothing where it was cancelled.
  std::optional<MeasuredPass> measured() const;

 private:
  std::size_t layersDone() const { return found_.layers.size(); }
  bool ended() const;
  void measureLayer();

  ExecutionContext execution_;
  std::optional<ModelPass> pass_;  // under way
  const MeasuredHeads* previous_ = nullptr;
  MeasuredPass found_;
};

/// Runs all units. Returns nothing where cancelled.
std::optional<MeasuredPass> measureModel(const ModelDocumentPtr& document,
                                         const ExecutionContext& execution, Index budgetBytes);

/// The largest number of different tokens that the probe repeats.
inline constexpr Index kProbeTokens = 48;

/// The probe of Olsson et al. 2022 ("In-context Learning and Induction Heads"): N different random
/// tokens (the same on every machine), then the same N again, N = min(kProbeTokens, half of the
/// model's positions, ordinary tokens). The tokens form no text, so that a head can use only
/// positions and earlier tokens. On the probe Metric::induction is the mean weight from a token of
/// the second half to the token after its first occurrence, Metric::duplicateToken that to its
/// other occurrence. The tokenizer's special tokens surround them. `tokenizer` may be null: every
/// id of the vocabulary is then an ordinary token. Tokens are named by their ids. Throws UserError
/// for a model that takes too few tokens.
ModelInput repeatedRandomTokens(const ModelConfig& config, const tokenizer::Tokenizer* tokenizer);

}  // namespace headscope::model
