// Bucket words: the distances that share a number of a bias by distance, in words.
#pragma once

#include <string>

#include "core/base/index.h"

namespace headscope {

class PairBias;

/// "bucket 3 of 32: keys 2 tokens before the query", "bucket 12 of 32: keys 46 to 63 tokens after
/// the query". `distance` is key − query.
std::string bucketInWords(const PairBias& bias, Index distance);

}  // namespace headscope
