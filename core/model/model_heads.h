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

/// Heads whose layer is the very one of `previous` (null: none) are taken from there. A layer that
/// is not held is computed again for it. Nothing where cancelled.
std::optional<MeasuredHeads> measureHeads(const ModelTrace& trace, const MeasuredHeads* previous,
                                          const Execution& execution);

struct MeasuredPass : MeasuredHeads {
  ModelTracePtr trace;
};

/// runModel without a pass before it, and its heads measured. Nothing where cancelled.
std::optional<MeasuredPass> measureModel(const ModelDocumentPtr& document,
                                         const Execution& execution, Index budgetBytes);

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
