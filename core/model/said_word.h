// Checks of the token and the word for which a reading of a prediction is requested.
#pragma once

#include "core/model/model_trace.h"

namespace headscope::model {

/// Throws UserError where the pass has no such token, where the model has no such word, and where
/// it has no readout.
void requireWord(const ModelTrace& trace, Index row, Index word);

}  // namespace headscope::model
