// Link: a session as text alone, which an address can hold. Of its tensors it keeps what cannot be
// drawn anew from the rest: cells that were changed, and small ones whole.
#pragma once

#include <string>

#include "core/editing/make_document.h"
#include "core/formats/session.h"

namespace headscope::formats {

/// JSON on one line. `make` draws the weights that the session's are compared with, which takes as
/// long as learning does where they were learned. Throws UserError where the session has more
/// numbers of its own than a link is made for.
std::string linkText(const Session& session, Index memoryBudget,
                     const WeightMaker& make = drawWeightsFor);
/// Asks `make` for all weights that linkText will ask for.
void drawForLink(const Session& session, Index memoryBudget, const WeightMaker& make);

/// `make` draws the weights, as for linkText. Throws UserError where the text is damaged, or of a
/// newer version.
Session sessionFromLink(const std::string& text, Index memoryBudget,
                        const WeightMaker& make = drawWeightsFor);

}  // namespace headscope::formats
