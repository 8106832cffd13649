#include "core/words/bucket_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/attention/pair_bias.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope {
namespace {

/// The distances nearest to and farthest from 0 that share the bucket of one of them.
struct Shared {
  Index nearest, farthest;
  bool open;  // all that are farther share it as well
};

Shared sharedWith(const PairBias& bias, Index distance) {
  const Index bucket = bias.bucketOf(distance), away = distance > 0 ? 1 : -1;
  const Index last = std::max<Index>(std::abs(distance), bias.settings().maxDistance) + 1;
  Shared all{std::abs(distance), std::abs(distance), false};
  while (all.nearest > 1 && bias.bucketOf(away * (all.nearest - 1)) == bucket) --all.nearest;
  while (all.farthest < last && bias.bucketOf(away * (all.farthest + 1)) == bucket) ++all.farthest;
  all.open = all.farthest == last;
  return all;
}

/// Where the keys of a bucket stand, seen from the query.
std::string keysInWords(const PairBias& bias, Index distance) {
  const bool after = distance > 0;
  if (!bias.settings().bothWays && distance >= 0) {
    return tr("the query's own token or later");
  }
  if (distance == 0) return tr("the query's own token");
  const Shared all = sharedWith(bias, distance);
  const char* side = after ? tr("after") : tr("before");
  if (all.open) return trFormat("{} or more tokens {}", all.nearest, side);
  if (all.nearest < all.farthest) {
    return trFormat("{} to {} tokens {}", all.nearest, all.farthest, side);
  }
  return fmt::format("{} {}", counted(all.nearest, tr("{} token"), tr("{} tokens")), side);
}

}  // namespace

std::string bucketInWords(const PairBias& bias, Index distance) {
  return trFormat("bucket {} of {}: {}", bias.bucketOf(distance) + 1, bias.settings().buckets,
                  keysInWords(bias, distance));
}

}  // namespace headscope
