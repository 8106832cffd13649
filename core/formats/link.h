// Link: a session as text that fits in an address. It keeps only the tensor values that cannot be
// drawn again from the rest: changed cells, and whole tensors if small.
#pragma once

#include <string>

#include "core/editing/make_document.h"
#include "core/formats/session.h"

namespace headscope::formats {

/// Returns JSON on one line. `make` draws the weights with which the session's are compared; for
/// learned weights this takes as long as the training. Throws UserError where the session has more
/// numbers of its own than a link may hold.
std::string linkText(const Session& session, Index memoryBudget,
                     const WeightMaker& make = drawWeightsFor);
/// Calls `make` for all weights that linkText will need.
void drawForLink(const Session& session, Index memoryBudget, const WeightMaker& make);

/// Reads a session; `make` draws the weights, as for linkText. Throws UserError where the text is
/// damaged or of a newer version.
Session sessionFromLink(const std::string& text, Index memoryBudget,
                        const WeightMaker& make = drawWeightsFor);

}  // namespace headscope::formats
