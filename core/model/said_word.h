// A word that a model may say at a token of a pass, as the readings of a prediction are asked for
// it.
#pragma once

#include "core/model/model_trace.h"

namespace headscope::model {

/// Throws UserError where the pass has no such token, the model no such word, or no readout.
void requireWord(const ModelTrace& trace, Index row, Index word);

}  // namespace headscope::model
