// Bucket words: the distances that share a number of a bias by distance, in words.
#pragma once

#include <string>

#include "core/base/index.h"

namespace headscope {

class PairBias;

/// "bucket 3 of 32: 2 tokens before", "bucket 28 of 32: 46 to 63 tokens after": where the keys
/// stand, seen from the query. `distance` is key − query.
std::string bucketInWords(const PairBias& bias, Index distance);

}  // namespace headscope
