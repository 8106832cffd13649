#include "core/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

AllowedKeys allowedKeys(const Mask& mask, Index item, Index query, Index keys) {
  AllowedKeys allowed{0, keys, nullptr};
  if (mask.causal) allowed.end = std::min(allowed.end, query + 1);
  if (mask.window > 0) {
    allowed.begin = std::max<Index>(allowed.begin, query - mask.window + 1);
    if (mask.window < keys) allowed.end = std::min(allowed.end, query + mask.window);
  }
  if (!mask.lengths.empty()) {
    allowed.end = std::min(allowed.end, mask.lengths[static_cast<std::size_t>(item)]);
  }
  if (mask.painted != nullptr) allowed.painted = mask.painted->allowed.data() + query * keys;
  allowed.begin = std::min(allowed.begin, keys);
  allowed.end = std::max(allowed.begin, allowed.end);
  return allowed;
}

std::string whyForbidden(const Mask& mask, Index item, Index query, Index key) {
  if (mask.causal && key > query) {
    return fmt::format("causal: key {} comes after query {}", key, query);
  }
  if (mask.window > 0 && (key - query >= mask.window || query - key >= mask.window)) {
    return fmt::format("window {}: key {} is {} away from query {}", mask.window, key,
                       std::abs(key - query), query);
  }
  if (!mask.lengths.empty()) {
    const Index length = mask.lengths[static_cast<std::size_t>(item)];
    if (key >= length) return fmt::format("padding: item {} ends before key {}", item, key);
  }
  if (mask.painted != nullptr && !(*mask.painted)(query, key)) {
    return fmt::format("painted: the pair ({}, {}) is forbidden", query, key);
  }
  return {};
}

}  // namespace headscope
