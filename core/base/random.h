// Counter-based random numbers: value n of a stream depends on (seed, stream, n) alone, so any
// thread may draw any part and the bits agree on every machine and compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

  /// Mean 0, variance 1, within ±6.24 (normal_table.h).
  float normal(std::uint64_t n) const;

  /// scale · uniform(first), scale · uniform(first + 1), … and likewise normals: the same bits as
  /// one by one, several at a time.
  void uniforms(std::uint64_t first, float scale, std::span<float> out) const;
  void normals(std::uint64_t first, float scale, std::span<float> out) const;

 private:
  std::uint64_t key_;
};

}  // namespace headscope
