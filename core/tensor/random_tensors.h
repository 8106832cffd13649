// Random tensors: tensors filled from random streams (random.h), all of them at once over threads.
//
//   const std::array draws{Draw{&wQ, RandomStream(seed, "W_Q"), Distribution::normal, 0.1F}};
//   draw(draws);
#pragma once

#include <span>

#include "core/base/random.h"
#include "core/tensor/tensor.h"

namespace headscope {

enum class Distribution { uniform, normal };  // in ±scale; mean 0 and deviation `scale`

/// Value n of `target` (contiguous, not shared) becomes scale · value n of `stream`.
struct Draw {
  Tensor* target;
  RandomStream stream;
  Distribution distribution;
  float scale;
};

/// Fills all targets, over at most `threads` threads (0: one per core). The bits do not depend on
/// the number of threads: each value depends on its place alone.
void draw(std::span<const Draw> draws, int threads = 0);

}  // namespace headscope
