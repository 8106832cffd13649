// Logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens"): the prediction at a token
// if the model stopped after each half layer: the final norm and the readout, applied to the
// residual stream there. Where norms follow the sums (BERT) the stream is already normalised, and
// only the readout is applied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

struct LensDepth {
  Index half = 0;         // half layers passed; 0: the embedding alone
  TokenProbability best;  // the most probable token there
  Standing word;          // the standing of the requested word
};

/// "embedding", "layer 1 attention", "layer 1 FFN", …; in a decoder "layer 1 cross-attention".
std::string halfInWords(const ModelConfig& config, Index half);

/// The model's prediction at token `row` after half layer 0 (the embedding) … 2L (the end, its
/// actual prediction), and the standing of `word` there. A layer without a network has no second
/// half. Null where `execution` was cancelled. Throws UserError for a model without a readout,
/// and for a token or word that does not exist.
std::optional<std::vector<LensDepth>> logitLens(const ModelTrace& trace, Index row, Index word,
                                                const ExecutionContext& execution);

}  // namespace headscope::model
