#include "core/base/random.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/normal_table.h"

namespace headscope {

float RandomStream::normal(std::uint64_t n) const { return normalOf(bits(n)); }

void RandomStream::uniforms(std::uint64_t first, float scale, std::span<float> out) const {
  // The product is rounded once and nothing is added: there is nothing to fuse.
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = uniform(first + i) * scale;
}

/// Gives the bits of normalOf, a block at a time: only looking up in the table has to go value by
/// value, so it has a loop of its own, and the compiler makes vectors of the other two.
void RandomStream::normals(std::uint64_t first, float scale, std::span<float> out) const {
  constexpr std::size_t kBlock = 512;
  std::array<std::uint64_t, kBlock> drawn;
  std::array<std::uint32_t, kBlock> tail;
  std::array<NormalTable::Knot, kBlock> knots;
  for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, out.size() - begin);
    float* values = out.data() + begin;
    for (std::size_t i = 0; i < count; ++i) {
      drawn[i] = bits(first + begin + i);
      tail[i] = tailBits(drawn[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      knots[i] = kNormalTable.knots[NormalTable::knotOf(tail[i])];
    }
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = signedNormal(NormalTable::between(knots[i], tail[i]), drawn[i]) * scale;
    }
  }
}

}  // namespace headscope
