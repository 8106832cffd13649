// Worksheet: a layer of small whole numbers for pencil and paper, another one for each seed, so
// that every student of a class has numbers of their own. Two heads of width 4, as the preset
// by-hand.
#pragma once

#include <cstdint>

#include "core/document/fwd.h"

namespace headscope {

/// The document of a seed, the same on every machine: X of 0, 1 and 2; matrices with two entries of
/// 1 or −1 in each row; √d_k = 2. The scores are between −8 and 8, and no row of weights has a
/// share above 95 %, so that each can be written with two digits.
DocumentPtr worksheetDocument(std::uint64_t seed);

}  // namespace headscope
