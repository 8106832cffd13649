#include "core/tensor/random_tensors.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "core/platform/threads.h"

namespace headscope {
namespace {

/// Pieces are assigned one by one, so that a delayed thread delays the others little.
constexpr Index kDrawnAtOnce = Index{1} << 16;

/// The estimated cost of a value, so that threads are assigned as for a pass.
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
  const ScopedThreadLimit count(threadsFor(values * kFlopsPerValue, threads));
  const auto fillPiece = [](void* all, Index piece) {
    fill((*static_cast<const std::vector<Piece>*>(all))[static_cast<std::size_t>(piece)]);
  };
  parallelForRaw(static_cast<Index>(pieces.size()), {fillPiece, &pieces});
}

}  // namespace headscope
