#include "core/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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
  return painted == nullptr ||
         std::memchr(painted + begin, 1, static_cast<std::size_t>(end - begin)) != nullptr;
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

AllowedKeys allowedBy(MaskRule rule, const Mask& mask, Index item, Index query) {
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

AllowedKeys allowedKeys(const Mask& mask, Index item, Index query, Index keys) {
  AllowedKeys all{0, keys, nullptr};
  for (const MaskRule rule : kMaskRules) {
    const AllowedKeys allowed = allowedBy(rule, mask, item, query);
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
      return fmt::format("causal: key {} comes after query {}", key, query);
    case MaskRule::window:
      return fmt::format("window {}: key {} is {} away from query {}", mask.window, key,
                         std::abs(key - query), query);
    case MaskRule::padding:
      return fmt::format("padding: item {} ends before key {}", item, key);
    case MaskRule::painted:
      break;
  }
  return fmt::format("painted: the pair ({}, {}) is forbidden", query, key);
}

}  // namespace headscope
