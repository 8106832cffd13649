// Model heads: what every head of every layer does in a model's pass; and the standard probe of
// what heads do: random tokens given twice.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/model/model_trace.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::model {

/// A pass, and its heads layer by layer, head by head; none before they are measured.
struct MeasuredPass {
  ModelTracePtr trace;
  std::vector<HeadMetrics> metrics;
  std::vector<HeadLabel> labels;

  bool measured() const { return !metrics.empty(); }
  std::size_t at(const HeadOfLayer& head) const {
    return static_cast<std::size_t>(head.layer * trace->config().heads + head.head);
  }
};

/// Measures the heads of a pass; those whose layer is the very one of `previous` (null: none) are
/// taken from there. A layer that is not held is computed again for it. False where cancelled.
bool measureHeads(MeasuredPass& pass, const MeasuredPass* previous, const Execution& execution);

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
