// Mask: which keys each query may attend to; causal, window, lengths and a painted (T, M) pattern,
// combined by AND; and the usual masks as painted ones, to start painting from.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/places.h"
#include "core/tensor/tensor.h"

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
  /// Returns whether every query may attend to every key.
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
  /// Returns whether both allow equal keys, in whatever form. The two rows must have one length.
  bool operator==(const AllowedKeys& other) const;
};

/// The rules of a mask, in the order in which messages name them.
enum class MaskRule { causal, window, padding, painted };
inline constexpr std::array kMaskRules{MaskRule::causal, MaskRule::window, MaskRule::padding,
                                       MaskRule::painted};

/// The keys that one rule alone allows a query. They do not depend on the number of keys.
AllowedKeys allowedBy(MaskRule rule, const Mask& mask, Index item, Index query);
/// The keys out of `keys` that all rules together allow a query.
AllowedKeys allowedKeys(const Mask& mask, Index item, Index query, Index keys);

/// Why a pair is forbidden, in words ("causal: key 4 comes after query 2"); empty where allowed.
std::string whyForbidden(const Mask& mask, Index item, Index query, Index key);

/// Every query sees every key.
PaintedMask allAllowed(Index queries, Index keys);

/// Query i sees the keys j ≤ i (Vaswani et al. 2017, section 3.2.3).
PaintedMask causalPattern(Index queries, Index keys);

/// Query i sees the keys with |i − j| < width (sliding window: Beltagy et al. 2020, Longformer).
PaintedMask windowPattern(Index queries, Index keys, Index width);

/// All see the first `prefix` keys, the others causally (prefix LM: UniLM, Dong et al. 2019; T5,
/// Raffel et al. 2020, section 3.2.1).
PaintedMask prefixPattern(Index queries, Index keys, Index prefix);

/// All see the first `length` keys; the others are padding (PyTorch's key_padding_mask).
PaintedMask paddingPattern(Index queries, Index keys, Index length);

/// A query sees the keys of its own document: queries before queryEnds[0] the keys before
/// keyEnds[0], and so on; past the last end lies one document more (documents packed into one
/// sequence: Krell et al. 2021).
PaintedMask documentPattern(Index queries, Index keys, const std::vector<Index>& queryEnds,
                            const std::vector<Index>& keyEnds);

/// Where documents end: after each token . ! ? or …; several of them in a row end one.
std::vector<Index> sentenceEnds(const std::vector<std::string>& tokens);

/// Allowed where `mask` forbids, and the other way round.
PaintedMask inverted(PaintedMask mask);

/// Sets the pairs of a block that lie in the mask. True where one of them changed.
bool paintBlock(PaintedMask& mask, const CellBlock& block, bool allow);

/// All rules that forbid a pair; empty where it is allowed.
std::vector<MaskRule> rulesForbidding(const Mask& mask, Index item, Index query, Index key);

/// The keys [begin, end) that causal, window or padding forbids a query. Each key is in at most one
/// run, that of the first rule that forbids it.
struct RuleRun {
  MaskRule rule = MaskRule::causal;
  Index begin = 0, end = 0;

  bool operator==(const RuleRun&) const = default;
};
/// Returns the runs in the order of the rules.
std::vector<RuleRun> ruleRuns(const Mask& mask, Index item, Index query, Index keys);

/// The queries of an item that have no key left.
std::vector<Index> fullyMaskedQueries(const Mask& mask, Index item, Index queries, Index keys);

/// A mask's pattern for one item as a painted mask.
PaintedMask asPaint(const Mask& mask, Index item, Index queries, Index keys);

/// Returns whether batch items have different lengths. A painted mask, which all items share,
/// cannot express these.
bool lengthsDiffer(const Mask& mask);

/// An equal mask with its rules painted, so that each pair can be changed. Lengths that differ stay
/// a rule.
Mask rulesAsPaint(const Mask& mask, Index queries, Index keys);

/// Returns `mask` with `painted` as its painted mask, or without one where it forbids nothing.
Mask withPaint(Mask mask, PaintedMask painted);

}  // namespace headscope
