// Draws: tensors filled from random streams, all of them at once, spread over threads.
#pragma once

#include <span>

#include "core/tensor.h"
#include "core/weights/random.h"

namespace headscope {

enum class Distribution { uniform, normal };  // in ±scale; mean 0 and deviation `scale`

/// Value n of `target` (contiguous, not shared) becomes scale · value n of `stream`.
struct Draw {
  Tensor* target;
  RandomStream stream;
  Distribution distribution;
  float scale;
};

/// The same bits for any number of threads (at most; 0: one per core): each value depends on its
/// place alone.
void draw(std::span<const Draw> draws, int threads = 0);

}  // namespace headscope
