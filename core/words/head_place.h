// Head place: the place of a head in a model, as short as tables need it.
#pragma once

#include <string>

#include "core/attention/places.h"

namespace headscope {

/// "2·4": layer and head, both from 1. (Flags and files count from 0 and write 1.3.)
std::string shortName(const HeadOfLayer& head);

}  // namespace headscope
