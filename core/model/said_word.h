// Checks of the token and the word for which a reading of a prediction is requested.
#pragma once

#include "core/model/model_trace.h"

namespace headscope::model {

/// Throws UserError where the pass has no such token, where the model has no such word, and where
/// it has no readout.
void requireWord(const ModelTrace& trace, Index row, Index word);

/// Throws UserError for a model whose logits read several places, so that no one place's stream
/// gives them.
void requireOnePlace(const ModelTrace& trace);

}  // namespace headscope::model
