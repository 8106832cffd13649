// Link: a session in an address, behind its "#": what core/formats/link.h makes of it, compressed.
#pragma once

#include <string>
#include <string_view>

#include "core/editing/make_document.h"
#include "core/formats/session.h"

namespace headscope {

/// "s1." and letters, digits, - and _. Throws UserError where the session holds too much for it.
std::string linkOf(const formats::Session& session, Index memoryBudget,
                   const WeightMaker& make = drawWeightsFor);

/// The session in an address or in what stands behind its "#". Throws UserError where there is
/// none, and where it is damaged or of a newer version.
formats::Session sessionOfLink(std::string_view link, Index memoryBudget,
                               const WeightMaker& make = drawWeightsFor);

}  // namespace headscope
