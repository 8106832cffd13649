// Counter-based random numbers: value n of a stream depends on (seed, stream, n) alone, so any
// thread may draw any part and the bits agree on every machine and compiler.
#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

/// splitmix64's finaliser (Steele, Lea & Flood 2014).
constexpr std::uint64_t mix64(std::uint64_t z) {
  z ^= z >> 30;
  z *= 0xBF58476D1CE4E5B9ULL;
  z ^= z >> 27;
  z *= 0x94D049BB133111EBULL;
  z ^= z >> 31;
  return z;
}

/// FNV-1a over the bytes, then mixed.
constexpr std::uint64_t hashBytes(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3ULL;
  }
  return mix64(hash);
}

class RandomStream {
 public:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

  /// `name` keeps streams of one seed apart ("W_Q", "b_O", …). The seed is hashed first, so that
  /// neighbouring seeds share nothing.
  constexpr RandomStream(std::uint64_t seed, std::string_view name)
      : key_(mix64(mix64(seed + kGolden) ^ hashBytes(name))) {}

  constexpr std::uint64_t bits(std::uint64_t n) const { return mix64(key_ + (n + 1) * kGolden); }

  /// In [−1, 1), from the top 24 bits.
  constexpr float uniform(std::uint64_t n) const {
    const auto top = static_cast<std::int32_t>(bits(n) >> 40);
    return static_cast<float>(top - (1 << 23)) * 0x1p-23F;
  }

  /// Mean 0, variance 1, within ±6.8: the sum of 16 uniform 16-bit integers, centred and scaled
  /// (Irwin–Hall). Integers only, so exact.
  constexpr float normal(std::uint64_t n) const {
    std::int32_t sum = 0;
    for (std::uint64_t part = 0; part < 4; ++part) {
      const std::uint64_t b = bits(n * 4 + part);
      sum += static_cast<std::int32_t>(b & 0xFFFF) + static_cast<std::int32_t>(b >> 16 & 0xFFFF) +
             static_cast<std::int32_t>(b >> 32 & 0xFFFF) + static_cast<std::int32_t>(b >> 48);
    }
    // mean 16·65535/2; variance 16·(65536² − 1)/12
    return static_cast<float>(sum - 8 * 65535) * (1.0F / 75674.45F);
  }

 private:
  std::uint64_t key_;
};

}  // namespace headscope
