// Link: a session in the fragment of an address, behind "#": the text of core/formats/link.h,
// compressed.
#pragma once

#include <string>
#include <string_view>

#include "core/editing/make_document.h"
#include "core/formats/session.h"

namespace headscope {

/// Returns the link: "s1." and letters, digits, - and _. Throws UserError where the session is too
/// large for a link.
std::string linkOf(const formats::Session& session, Index memoryBudget,
                   const WeightMaker& make = drawWeightsFor);

/// Returns the session in an address or in its fragment. Throws UserError where there is none, or
/// where it is damaged or of a newer version.
formats::Session sessionOfLink(std::string_view link, Index memoryBudget,
                               const WeightMaker& make = drawWeightsFor);

}  // namespace headscope
