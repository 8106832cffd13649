#include "core/weights/draw.h"

#include <omp.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope {
namespace {

/// Handed out one by one, so that a thread that is held up holds up nobody for long.
constexpr Index kPiece = Index{1} << 16;

/// About a millisecond's work. Below it a second thread costs more than it saves, many times more
/// on a busy machine, where waiting for it can last a time slice.
constexpr Index kValuesPerThread = Index{1} << 21;

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

void draw(std::span<const Draw> draws) {
  std::vector<Piece> pieces;
  Index values = 0;
  for (const Draw& draw : draws) {
    assert(draw.target->contiguous());
    const Index size = draw.target->size();
    for (Index first = 0; first < size; first += kPiece) {
      const auto count = static_cast<std::size_t>(std::min(kPiece, size - first));
      pieces.push_back({&draw, first, {draw.target->mutableData() + first, count}});
    }
    values += size;
  }
  const auto most = static_cast<Index>(omp_get_max_threads());
  const auto threads = static_cast<int>(std::clamp<Index>(values / kValuesPerThread, 1, most));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t i = 0; i < pieces.size(); ++i) fill(pieces[i]);
}

}  // namespace headscope
