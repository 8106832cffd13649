// Mask patterns: the usual masks as painted ones (T, M), to start painting from; and which rule of
// a mask forbids a pair.
#pragma once

#include <string>
#include <vector>

#include "core/mask.h"

namespace headscope {

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

/// Pairs of rows [row0, row1) and columns [col0, col1).
struct PairBlock {
  Index row0 = 0, row1 = 0;
  Index col0 = 0, col1 = 0;
};

/// Sets the pairs of a block, as far as it lies in the mask; true where one of them changed.
bool paintBlock(PaintedMask& mask, const PairBlock& block, bool allow);

/// All rules that forbid a pair; empty where it is allowed.
std::vector<MaskRule> rulesForbidding(const Mask& mask, Index item, Index query, Index key);

/// Keys [begin, end) of one query that causal, window or padding forbids; each key is in one run at
/// most, that of the first of its rules.
struct RuleRun {
  MaskRule rule = MaskRule::causal;
  Index begin = 0, end = 0;

  bool operator==(const RuleRun&) const = default;
};
/// In the order of the keys.
std::vector<RuleRun> ruleRuns(const Mask& mask, Index item, Index query, Index keys);

/// The queries of an item that have no key left.
std::vector<Index> fullyMaskedQueries(const Mask& mask, Index item, Index queries, Index keys);

/// All that a mask forbids to one item, painted.
PaintedMask asPaint(const Mask& mask, Index item, Index queries, Index keys);

/// True where batch items have different lengths, which paint, the same for all, cannot say.
bool lengthsDiffer(const Mask& mask);

/// The same mask with its rules painted, so that each pair can be changed; lengths that differ
/// stay.
Mask rulesAsPaint(const Mask& mask, Index queries, Index keys);

/// `mask` with this painted on it; nothing at all where it forbids nothing.
Mask withPaint(Mask mask, PaintedMask painted);

}  // namespace headscope
