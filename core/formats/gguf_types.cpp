// The types of values in a GGUF file, after ggml-quants.c of llama.cpp: a block has its scales,
// then the values' bits.
#include <Eigen/Core>
#include <array>
#include <cstring>

#include "core/formats/gguf.h"

namespace headscope::formats {
namespace {

float half(const std::uint8_t* at) {
  Eigen::half value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<float>(value);
}
int low(std::uint8_t byte) { return byte & 0x0F; }
int high(std::uint8_t byte) { return byte >> 4; }
float times(float scale, int value) { return scale * static_cast<float>(value); }

constexpr int kBlock = 32;
constexpr int kHalf = kBlock / 2;

/// Q4_0: a scale, then 4 bits for each value, less 8.
void q40(const std::uint8_t* block, float* to) {
  const float d = half(block);
  const std::uint8_t* bits = block + 2;
  for (int i = 0; i < kHalf; ++i) {
    to[i] = times(d, low(bits[i]) - 8);
    to[i + kHalf] = times(d, high(bits[i]) - 8);
  }
}

/// Q4_1: a scale and a least value, then 4 bits for each value.
void q41(const std::uint8_t* block, float* to) {
  const float d = half(block), least = half(block + 2);
  const std::uint8_t* bits = block + 4;
  for (int i = 0; i < kHalf; ++i) {
    to[i] = times(d, low(bits[i])) + least;
    to[i + kHalf] = times(d, high(bits[i])) + least;
  }
}

/// The fifth bit of value i, from the 32 bits at `at`.
int fifth(const std::uint8_t* at, int i) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return static_cast<int>(bits >> i & 1U) << 4;
}

void q50(const std::uint8_t* block, float* to) {
  const float d = half(block);
  const std::uint8_t* bits = block + 6;
  for (int i = 0; i < kHalf; ++i) {
    to[i] = times(d, (low(bits[i]) | fifth(block + 2, i)) - 16);
    to[i + kHalf] = times(d, (high(bits[i]) | fifth(block + 2, i + kHalf)) - 16);
  }
}

void q51(const std::uint8_t* block, float* to) {
  const float d = half(block), least = half(block + 2);
  const std::uint8_t* bits = block + 8;
  for (int i = 0; i < kHalf; ++i) {
    to[i] = times(d, low(bits[i]) | fifth(block + 4, i)) + least;
    to[i + kHalf] = times(d, high(bits[i]) | fifth(block + 4, i + kHalf)) + least;
  }
}

void q80(const std::uint8_t* block, float* to) {
  const float d = half(block);
  for (int i = 0; i < kBlock; ++i) to[i] = times(d, static_cast<std::int8_t>(block[2 + i]));
}

// The K types: 256 values, in 8 or 16 groups with scales of their own.

constexpr int kSuper = 256;

/// The scale and the least value of group `g` of Q4_K and Q5_K, 6 bits each in 12 bytes.
struct Group {
  int scale, least;
};
Group groupOf(const std::uint8_t* packed, int g) {
  if (g < 4) return {packed[g] & 63, packed[g + 4] & 63};
  return {(packed[g + 4] & 0x0F) | (packed[g - 4] >> 6) << 4,
          (packed[g + 4] >> 4) | (packed[g] >> 6) << 4};
}

void q4k(const std::uint8_t* block, float* to) {
  const float d = half(block), dLeast = half(block + 2);
  const std::uint8_t* bits = block + 16;
  for (int g = 0; g < 8; g += 2, bits += kBlock, to += 2 * kBlock) {
    const Group a = groupOf(block + 4, g), b = groupOf(block + 4, g + 1);
    const float scaleA = times(d, a.scale), leastA = times(dLeast, a.least);
    const float scaleB = times(d, b.scale), leastB = times(dLeast, b.least);
    for (int i = 0; i < kBlock; ++i) {
      to[i] = times(scaleA, low(bits[i])) - leastA;
      to[i + kBlock] = times(scaleB, high(bits[i])) - leastB;
    }
  }
}

void q5k(const std::uint8_t* block, float* to) {
  const float d = half(block), dLeast = half(block + 2);
  const std::uint8_t* fifths = block + 16;
  const std::uint8_t* bits = block + 48;
  for (int g = 0; g < 8; g += 2, bits += kBlock, to += 2 * kBlock) {
    const Group a = groupOf(block + 4, g), b = groupOf(block + 4, g + 1);
    const float scaleA = times(d, a.scale), leastA = times(dLeast, a.least);
    const float scaleB = times(d, b.scale), leastB = times(dLeast, b.least);
    for (int i = 0; i < kBlock; ++i) {
      to[i] = times(scaleA, low(bits[i]) + ((fifths[i] >> g & 1) << 4)) - leastA;
      to[i + kBlock] = times(scaleB, high(bits[i]) + ((fifths[i] >> (g + 1) & 1) << 4)) - leastB;
    }
  }
}

void q6k(const std::uint8_t* block, float* to) {
  const std::uint8_t* lows = block;          // 4 bits a value
  const std::uint8_t* highs = block + 128;   // 2 bits a value
  const std::uint8_t* scales = block + 192;  // 16, signed
  const float d = half(block + 208);
  for (int part = 0; part < 2; ++part, lows += 64, highs += 32, scales += 8, to += 128) {
    for (int i = 0; i < kBlock; ++i) {
      const auto value = [&](int bits, int shift) {
        return (bits | (highs[i] >> shift & 3) << 4) - 32;
      };
      const auto scale = [&](int group) {
        return times(d, static_cast<std::int8_t>(scales[i / 16 + group]));
      };
      to[i] = times(scale(0), value(low(lows[i]), 0));
      to[i + 32] = times(scale(2), value(low(lows[i + 32]), 2));
      to[i + 64] = times(scale(4), value(high(lows[i]), 4));
      to[i + 96] = times(scale(6), value(high(lows[i + 32]), 6));
    }
  }
}

constexpr std::array kGgufTypes{
    GgufType{0, "F32", 1, 4, nullptr},      GgufType{1, "F16", 1, 2, nullptr},
    GgufType{2, "Q4_0", kBlock, 18, q40},   GgufType{3, "Q4_1", kBlock, 20, q41},
    GgufType{6, "Q5_0", kBlock, 22, q50},   GgufType{7, "Q5_1", kBlock, 24, q51},
    GgufType{8, "Q8_0", kBlock, 34, q80},   GgufType{12, "Q4_K", kSuper, 144, q4k},
    GgufType{13, "Q5_K", kSuper, 176, q5k}, GgufType{14, "Q6_K", kSuper, 210, q6k},
    GgufType{28, "F64", 1, 8, nullptr},     GgufType{30, "BF16", 1, 2, nullptr}};

}  // namespace

const GgufType* ggufType(std::uint32_t id) {
  for (const GgufType& type : kGgufTypes) {
    if (type.id == id) return &type;
  }
  return nullptr;
}

}  // namespace headscope::formats
