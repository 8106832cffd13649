// Logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens"): what a model would say at a
// token if it stopped after each half layer: the final norm and the readout, applied to the
// residual stream there. Where norms follow the sums (BERT) the stream is normalised already, and
// the readout alone is applied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

struct LensDepth {
  Index half = 0;   // after so many half layers: 0 is the embedding
  Prediction best;  // what it would say
  Standing word;    // where the word asked for stands
};

/// "embedding", "layer 1 attention", "layer 1 FFN", …
std::string halfInWords(Index half);

/// What the model would say at token `row` after half layer 0 (the embedding) … 2L (the end, which
/// is what it does say), and how `word` stands there; a model of attention alone has no second
/// halves. Null where `execution` was cancelled. Throws UserError for a model without a readout,
/// and for a token or word that is not there.
std::optional<std::vector<LensDepth>> logitLens(const ModelTrace& trace, Index row, Index word,
                                                const ExecutionContext& execution);

}  // namespace headscope::model
