// KV cache: the computation and memory of decoding token by token, with and without a cache of the
// keys and values of earlier tokens, and the obstacles to such a cache.
//
// With a cache, the token at position t computes one row of Q, K and V, one row of scores over t +
// 1 keys, and one row of the output. Without one, it is a pass over all t + 1 tokens again.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/editing/edit.h"

namespace headscope {

/// The reason why the rows of a pass depend on later tokens, so that none of them could be cached.
struct CacheObstacle {
  std::string why;             // a sentence
  std::optional<Edit> wayOut;  // the change that removes it, where there is one
  std::string wayOutTitle;     // "turn on causal"
};

/// Finds the first obstacle; none: row t of every tensor depends on rows 0 … t alone.
std::optional<CacheObstacle> cacheObstacle(const Document& document);

/// The parts of the counted work. `score` includes the scaling.
enum class DecodePart { project, score, softmax, weigh, output };
inline constexpr std::size_t kDecodeParts = 5;
std::string_view titleOf(DecodePart part);

struct DecodeFlops {
  std::array<Index, kDecodeParts> parts{};

  Index operator[](DecodePart part) const { return parts[static_cast<std::size_t>(part)]; }
  Index total() const;
};

/// FLOPs of decoding, by the ledger's rule, position by position (from 0).
class DecodeLedger {
 public:
  /// Throws UserError where decoding all tokens passes 64 bits.
  explicit DecodeLedger(const AttentionConfig& config);

  DecodeFlops cached(Index position) const;
  DecodeFlops whole(Index position) const;  // the prefix again
  // the sums of positions 0 … position
  DecodeFlops cachedSoFar(Index position) const;
  DecodeFlops wholeSoFar(Index position) const;

 private:
  DecodeFlops scaled(Index rows, Index pairs) const;

  DecodeFlops row_;   // of one token's row: project, output
  DecodeFlops pair_;  // of one (query, key) pair: score, softmax, weigh
};

/// Bytes of one layer's cached keys and values, all batch items: 2 · B · positions · heads · d_k
/// values.
Index kvCacheBytes(const AttentionConfig& config, Index kvHeads, Index positions,
                   Index bytesPerValue = 4);

/// The numbers of key/value heads that H query heads can share: the divisors of H, from 1 (MQA) to
/// H (MHA).
std::vector<Index> kvHeadCounts(Index numHeads);

}  // namespace headscope
