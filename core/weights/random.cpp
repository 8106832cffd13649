#include "core/weights/random.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/platform/threads.h"
#include "core/weights/normal_table.h"

namespace headscope {

float RandomStream::normal(std::uint64_t n) const { return normalOf(bits(n)); }

void RandomStream::uniforms(std::uint64_t first, float scale, std::span<float> out) const {
  // The product is rounded once and nothing is added: there is nothing to fuse.
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = uniform(first + i) * scale;
}

/// As normalOf, a block at a time: only looking up in the table has to go value by value, so it has
/// a loop of its own, and the compiler makes vectors of the other two.
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

namespace {

/// Handed out one by one, so that a thread that is held up holds up nobody for long.
constexpr Index kDrawnAtOnce = Index{1} << 16;

/// What a value is reckoned at, so that threads are shared out as for a pass.
constexpr Index kFlopsPerValue = 8;

struct Piece {
  const Draw* draw;
  Index first;
  std::span<float> values;
};

void fill(const Piece& piece) {
  const Draw& draw = *piece.draw;
  const auto first = static_cast<std::uint64_t>(piece.first);
  switch (draw.distribution) {
    case Distribution::uniform:
      return draw.stream.uniforms(first, draw.scale, piece.values);
    case Distribution::normal:
      return draw.stream.normals(first, draw.scale, piece.values);
  }
}

}  // namespace

void draw(std::span<const Draw> draws, int threads) {
  std::vector<Piece> pieces;
  Index values = 0;
  for (const Draw& draw : draws) {
    assert(draw.target->contiguous());
    const Index size = draw.target->size();
    for (Index first = 0; first < size; first += kDrawnAtOnce) {
      const auto count = static_cast<std::size_t>(std::min(kDrawnAtOnce, size - first));
      pieces.push_back({&draw, first, {draw.target->mutableData() + first, count}});
    }
    values += size;
  }
  const ThreadCount count(threadsFor(values * kFlopsPerValue, threads));
  const auto fillPiece = [](void* all, Index piece) {
    fill((*static_cast<const std::vector<Piece>*>(all))[static_cast<std::size_t>(piece)]);
  };
  forPieces(static_cast<Index>(pieces.size()), {fillPiece, &pieces});
}

}  // namespace headscope
