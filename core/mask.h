// Mask: which keys each query may attend to; causal, window, lengths and a painted (T, M) pattern,
// combined by AND.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace headscope {

/// One byte per (query, key) pair, 1 where the query may attend; for all heads and batch items.
struct PaintedMask {
  Index queries = 0;
  Index keys = 0;
  std::vector<std::uint8_t> allowed;  // row-major

  bool operator()(Index query, Index key) const {
    return allowed[static_cast<std::size_t>(query * keys + key)] != 0;
  }
  bool operator==(const PaintedMask&) const = default;
};

struct Mask {
  bool causal = false;         // allows key j for query i where j ≤ i
  Index window = 0;            // allows |i − j| < window; 0: no window
  std::vector<Index> lengths;  // per batch item: keys at and past the length are padding
  std::shared_ptr<const PaintedMask> painted;

  bool operator==(const Mask& other) const;
  /// True where nothing is forbidden to anyone.
  bool none() const { return !causal && window == 0 && lengths.empty() && painted == nullptr; }
};

/// The keys one query may see: those in [begin, end) that `painted` (may be null; one byte per key
/// of the whole row) allows.
struct AllowedKeys {
  Index begin = 0;
  Index end = 0;
  const std::uint8_t* painted = nullptr;

  bool operator()(Index key) const {
    return key >= begin && key < end && (painted == nullptr || painted[key] != 0);
  }
  /// Number of keys left, 0 for a fully masked row.
  Index count() const;
  bool any() const;
  /// The same keys, however they are given; the two rows are of one length.
  bool operator==(const AllowedKeys& other) const;
};

/// The rules by which a mask forbids, in the order they are named in.
enum class MaskRule { causal, window, padding, painted };
inline constexpr std::array kMaskRules{MaskRule::causal, MaskRule::window, MaskRule::padding,
                                       MaskRule::painted};

/// What one rule by itself allows a query, however many keys there are.
AllowedKeys allowedBy(MaskRule rule, const Mask& mask, Index item, Index query);
/// What all of them allow it of `keys` keys.
AllowedKeys allowedKeys(const Mask& mask, Index item, Index query, Index keys);

/// Why a pair is forbidden, in words ("causal: key 4 comes after query 2"); empty where allowed.
std::string whyForbidden(const Mask& mask, Index item, Index query, Index key);

}  // namespace headscope
