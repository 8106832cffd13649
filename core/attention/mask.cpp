#include "core/attention/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/translation.h"

namespace headscope {

bool Mask::operator==(const Mask& other) const {
  if (causal != other.causal || window != other.window || lengths != other.lengths) return false;
  if (painted == other.painted) return true;
  return painted != nullptr && other.painted != nullptr && *painted == *other.painted;
}

Index AllowedKeys::count() const {
  if (end <= begin) return 0;
  if (painted == nullptr) return end - begin;
  return std::count_if(painted + begin, painted + end, [](std::uint8_t a) { return a != 0; });
}

bool AllowedKeys::any() const {
  if (end <= begin) return false;
  return count() > 0;
}

bool AllowedKeys::operator==(const AllowedKeys& other) const {
  if (painted == other.painted && begin == other.begin && end == other.end) return true;
  const Index first = std::min(begin, other.begin);
  const Index last = std::max(end, other.end);
  if (painted != nullptr && other.painted != nullptr && begin == other.begin && end == other.end) {
    return begin >= end || std::memcmp(painted + begin, other.painted + begin,
                                       static_cast<std::size_t>(end - begin)) == 0;
  }
  for (Index key = first; key < last; ++key) {
    if ((*this)(key) != other(key)) return false;
  }
  return true;
}

namespace {

/// Inline, since allowedKeys is called for every row of a pass with constant rules.
[[gnu::always_inline]] inline AllowedKeys allowedByRule(MaskRule rule, const Mask& mask, Index item,
                                                        Index query) {
  constexpr Index kNoEnd = std::numeric_limits<Index>::max();
  AllowedKeys allowed{0, kNoEnd, nullptr};
  switch (rule) {
    case MaskRule::causal:
      if (mask.causal) allowed.end = query + 1;
      break;
    case MaskRule::window:
      if (mask.window > 0) {
        const Index width = std::min(mask.window, kNoEnd - query);
        allowed.begin = std::max<Index>(0, query - width + 1);
        allowed.end = query + width;
      }
      break;
    case MaskRule::padding:
      if (!mask.lengths.empty()) allowed.end = mask.lengths[static_cast<std::size_t>(item)];
      break;
    case MaskRule::painted:
      if (mask.painted != nullptr) {
        allowed.painted = mask.painted->allowed.data() + query * mask.painted->keys;
      }
      break;
  }
  return allowed;
}

}  // namespace

AllowedKeys allowedBy(MaskRule rule, const Mask& mask, Index item, Index query) {
  return allowedByRule(rule, mask, item, query);
}

AllowedKeys allowedKeys(const Mask& mask, Index item, Index query, Index keys) {
  AllowedKeys all{0, keys, nullptr};
#pragma GCC unroll 4
  for (const MaskRule rule : kMaskRules) {
    const AllowedKeys allowed = allowedByRule(rule, mask, item, query);
    all.begin = std::max(all.begin, allowed.begin);
    all.end = std::min(all.end, allowed.end);
    if (allowed.painted != nullptr) all.painted = allowed.painted;
  }
  all.begin = std::min(all.begin, keys);
  all.end = std::max(all.begin, all.end);
  return all;
}

std::string whyForbidden(const Mask& mask, Index item, Index query, Index key) {
  const auto rule = std::find_if(kMaskRules.begin(), kMaskRules.end(),
                                 [&](MaskRule r) { return !allowedBy(r, mask, item, query)(key); });
  if (rule == kMaskRules.end()) return {};
  switch (*rule) {
    case MaskRule::causal:
      return trFormat("causal: key {} comes after query {}", key, query);
    case MaskRule::window:
      return trFormat("window {}: key {} is {} away from query {}", mask.window, key,
                      std::abs(key - query), query);
    case MaskRule::padding:
      return trFormat("padding: item {} ends before key {}", item, key);
    case MaskRule::painted:
      break;
  }
  return trFormat("painted: the pair ({}, {}) is forbidden", query, key);
}

namespace {

/// A painted mask that allows each query i the keys [begin(i), end(i)).
template <typename Begin, typename End>
PaintedMask runs(Index queries, Index keys, Begin&& begin, End&& end) {
  PaintedMask mask{
      queries, keys,
      std::vector<std::uint8_t>(static_cast<std::size_t>(queries * keys), std::uint8_t{0})};
  for (Index i = 0; i < queries; ++i) {
    paintBlock(mask, {i, 1, begin(i), end(i) - begin(i)}, true);
  }
  return mask;
}

}  // namespace

PaintedMask allAllowed(Index queries, Index keys) {
  return runs(
      queries, keys, [](Index) { return Index{0}; }, [keys](Index) { return keys; });
}

PaintedMask causalPattern(Index queries, Index keys) {
  return runs(
      queries, keys, [](Index) { return Index{0}; }, [](Index i) { return i + 1; });
}

PaintedMask windowPattern(Index queries, Index keys, Index width) {
  return runs(
      queries, keys, [width](Index i) { return i - width + 1; },
      [width](Index i) { return i + width; });
}

PaintedMask prefixPattern(Index queries, Index keys, Index prefix) {
  return runs(
      queries, keys, [](Index) { return Index{0}; },
      [prefix](Index i) { return std::max(prefix, i + 1); });
}

PaintedMask paddingPattern(Index queries, Index keys, Index length) {
  return runs(
      queries, keys, [](Index) { return Index{0}; }, [length](Index) { return length; });
}

PaintedMask documentPattern(Index queries, Index keys, const std::vector<Index>& queryEnds,
                            const std::vector<Index>& keyEnds) {
  // the document of query i, then the range of that document's keys
  const auto documentOf = [&](Index i) {
    return static_cast<std::size_t>(std::upper_bound(queryEnds.begin(), queryEnds.end(), i) -
                                    queryEnds.begin());
  };
  const auto keyEnd = [&](std::size_t document) {
    return document < keyEnds.size() ? keyEnds[document] : keys;
  };
  return runs(
      queries, keys,
      [&](Index i) { return documentOf(i) == 0 ? Index{0} : keyEnd(documentOf(i) - 1); },
      [&](Index i) { return keyEnd(documentOf(i)); });
}

std::vector<Index> sentenceEnds(const std::vector<std::string>& tokens) {
  const auto ends = [](const std::string& token) {
    return token == "." || token == "!" || token == "?" || token == "…";
  };
  std::vector<Index> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (ends(tokens[i]) && (i + 1 == tokens.size() || !ends(tokens[i + 1]))) {
      found.push_back(static_cast<Index>(i) + 1);
    }
  }
  return found;
}

PaintedMask inverted(PaintedMask mask) {
  for (std::uint8_t& allowed : mask.allowed) allowed = allowed == 0 ? 1 : 0;
  return mask;
}

bool paintBlock(PaintedMask& mask, const CellBlock& block, bool allow) {
  const Index begin = std::clamp<Index>(block.col, 0, mask.keys);
  const Index end = std::clamp<Index>(block.endCol(), begin, mask.keys);
  const std::uint8_t value = allow ? 1 : 0;
  bool changed = false;
  for (Index i = std::max<Index>(block.row, 0); i < std::min(block.endRow(), mask.queries); ++i) {
    const auto row = mask.allowed.begin() + i * mask.keys;
    changed = changed || std::any_of(row + begin, row + end,
                                     [value](std::uint8_t pair) { return pair != value; });
    std::fill(row + begin, row + end, value);
  }
  return changed;
}

std::vector<MaskRule> rulesForbidding(const Mask& mask, Index item, Index query, Index key) {
  std::vector<MaskRule> found;
  std::copy_if(kMaskRules.begin(), kMaskRules.end(), std::back_inserter(found),
               [&](MaskRule rule) { return !allowedBy(rule, mask, item, query)(key); });
  return found;
}

std::vector<RuleRun> ruleRuns(const Mask& mask, Index item, Index query, Index keys) {
  std::vector<RuleRun> found;
  Index begin = 0;  // the keys that no rule forbids yet
  Index end = keys;
  for (const MaskRule rule : {MaskRule::causal, MaskRule::window, MaskRule::padding}) {
    const AllowedKeys allowed = allowedBy(rule, mask, item, query);
    const Index newBegin = std::clamp(allowed.begin, begin, end);
    const Index newEnd = std::clamp(allowed.end, newBegin, end);
    if (newBegin > begin) found.push_back({rule, begin, newBegin});
    if (newEnd < end) found.push_back({rule, newEnd, end});
    begin = newBegin;
    end = newEnd;
  }
  return found;
}

std::vector<Index> fullyMaskedQueries(const Mask& mask, Index item, Index queries, Index keys) {
  std::vector<Index> found;
  if (mask.none()) return found;
  for (Index i = 0; i < queries; ++i) {
    if (!allowedKeys(mask, item, i, keys).any()) found.push_back(i);
  }
  return found;
}

PaintedMask asPaint(const Mask& mask, Index item, Index queries, Index keys) {
  PaintedMask paint = allAllowed(queries, keys);
  for (Index i = 0; i < queries; ++i) {
    const AllowedKeys allowed = allowedKeys(mask, item, i, keys);
    for (Index j = 0; j < keys; ++j) {
      paint.allowed[static_cast<std::size_t>(i * keys + j)] = allowed(j) ? 1 : 0;
    }
  }
  return paint;
}

bool lengthsDiffer(const Mask& mask) {
  return std::adjacent_find(mask.lengths.begin(), mask.lengths.end(), std::not_equal_to<>()) !=
         mask.lengths.end();
}

Mask rulesAsPaint(const Mask& mask, Index queries, Index keys) {
  Mask rules = mask;  // the rules that can be painted
  Mask rest;
  if (lengthsDiffer(mask)) std::swap(rules.lengths, rest.lengths);
  return withPaint(std::move(rest), asPaint(rules, 0, queries, keys));
}

Mask withPaint(Mask mask, PaintedMask painted) {
  const bool nothing = std::all_of(painted.allowed.begin(), painted.allowed.end(),
                                   [](std::uint8_t pair) { return pair != 0; });
  mask.painted = nothing ? nullptr : std::make_shared<const PaintedMask>(std::move(painted));
  return mask;
}

}  // namespace headscope
