// Resample: how a row of n values becomes one of m, as Pillow's Image.resize and PyTorch's
// interpolate do it: each new value is a weighted sum of old ones around its place.
//
//   tapsOf(4, 2, Kernel::box)  // {{0, ½}, {1, ½}} and {{2, ½}, {3, ½}}
#pragma once

#include <vector>

#include "core/base/index.h"

namespace headscope {

/// All but the last are Pillow's: a kernel that makes a row shorter is as many times wider
/// (antialiased). Its bicubic has a = −0.5.
enum class Kernel {
  nearest,
  box,
  bilinear,
  hamming,
  bicubic,
  lanczos,
  /// PyTorch's bicubic without antialiasing: four points, a = −0.75; beyond the edge stands the
  /// value at the edge.
  bicubicPoints,
};

struct Tap {
  Index from = 0;  // the place of an old value
  double weight = 0.0;
};
using Taps = std::vector<Tap>;

/// For each of `to` new values the old ones, of `from`, that it is a sum of. Weights add up to 1.
std::vector<Taps> tapsOf(Index from, Index to, Kernel kernel);

}  // namespace headscope
