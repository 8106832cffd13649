// Logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens"): what a model would say at a
// token if it stopped after each half layer: the final norm and the readout, applied to the
// residual stream there. Where norms follow the sums (BERT) the stream is normalised already, and
// the readout alone is applied.
#pragma once

#include <optional>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

struct LensDepth {
  Prediction best;  // what it would say
  Standing word;    // where the word asked for stands
};

/// What the model would say at token `row` after half layer 0 (the embedding) … 2L (the end, which
/// is what it does say), and how `word` stands there. Null where `execution` was cancelled. Throws
/// UserError for a model without a readout, and for a token or word that is not there.
std::optional<std::vector<LensDepth>> logitLens(const ModelTrace& trace, Index row, Index word,
                                                const Execution& execution);

}  // namespace headscope::model
