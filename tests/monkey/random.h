// Random: the source of a monkey's events; one seed gives the same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "core/base/random.h"

namespace headscope::monkey {

class Random {
 public:
  explicit Random(std::uint64_t seed) : stream_(seed, "monkey") {}

  /// 0 … bound − 1.
  std::size_t below(std::size_t bound) { return stream_.bits(count_++) % bound; }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
  }
  bool oneIn(std::size_t n) { return below(n) == 0; }
  /// In [0, 1).
  float fraction() { return static_cast<float>(below(1U << 24U)) * 0x1p-24F; }
  template <typename List>
  const auto& of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

 private:
  RandomStream stream_;
  std::uint64_t count_ = 0;
};

}  // namespace headscope::monkey
