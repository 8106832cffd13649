// Model heads: what every head of every layer does in a model's pass; and the standard probe of
// what heads do: random tokens given twice.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/model/model_trace.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::model {

/// What each head does in a pass, by placeOf. It does not keep the pass.
struct MeasuredHeads {
  std::vector<std::weak_ptr<const Trace>> layers;  // measured
  std::vector<HeadMetrics> metrics;
  std::vector<HeadLabel> labels;
};

struct MeasuredPass : MeasuredHeads {
  ModelTracePtr trace;
};

/// Measures the heads of a pass. Runs unit by unit: the layers of the pass, where it is not there
/// yet, then the heads of one layer after the other.
class ModelMeasure {
 public:
  /// Of a pass that is there. Heads whose layer is the very one of `previous` (null: none; has to
  /// live as long) are taken from there. A layer that is not held is computed again for it.
  ModelMeasure(ModelTracePtr trace, const MeasuredHeads* previous,
               const ExecutionContext& execution);
  /// Of one that is run first, without a pass before it. Throws as runModel does.
  ModelMeasure(const ModelDocumentPtr& document, const ExecutionContext& execution,
               Index budgetBytes);

  /// Runs the next unit. True where that was the last one, or the measurement was cancelled.
  bool runUnit();
  /// Once it has ended: nothing where it was cancelled.
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

/// Runs all units; nothing where cancelled.
std::optional<MeasuredPass> measureModel(const ModelDocumentPtr& document,
                                         const ExecutionContext& execution, Index budgetBytes);

/// At most so many different tokens are given twice.
inline constexpr Index kProbeTokens = 48;

/// The probe of Olsson et al. 2022 ("In-context Learning and Induction Heads"): N different random
/// tokens (the same on every machine), then the same N again, N = min(kProbeTokens, half of the
/// model's positions, ordinary tokens). No text is in them, so that a head can only go by places
/// and by what stood there before: on it Metric::induction is the mean weight from a token of the
/// second half to the token after its first occurrence, Metric::duplicateToken that to its other
/// occurrence. What the tokenizer puts around a text stands around them; `tokenizer` may be null:
/// every id of the vocabulary is then an ordinary token. Tokens are called by their ids. Throws
/// UserError for a model that takes too few tokens.
ModelInput repeatedRandomTokens(const ModelConfig& config, const tokenizer::Tokenizer* tokenizer);

}  // namespace headscope::model
