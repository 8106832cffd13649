// Distance kernels: a function of the distance between query and key, as a sum over position pairs:
// f(Δ) = Σ_k c_k cos(ω_k Δ) + s_k sin(ω_k Δ), Δ = key − query. Each pair takes two dimensions.
#pragma once

#include <optional>
#include <vector>

#include "core/heads/head_description.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// The distance beyond which the kernels begin to repeat.
inline constexpr int kKernelReach = 40;

struct KernelPair {
  Index pair = 0;  // from 0
  double cosine = 0.0, sine = 0.0;
};
using DistanceKernel = std::vector<KernelPair>;

/// Σ cosine · cos(ω d) + sine · sin(ω d) over its pairs, at a distance d in tokens.
double valueAt(const DistanceKernel& kernel, int distance);

/// Chooses the `count` out of `available` pairs that separate the peaks best, with equal strength;
/// nothing where they cannot. Second choices are left out below eight pairs.
std::optional<DistanceKernel> peakKernel(const Peaks& peaks, Index count, Index available);

struct FittedKernel {
  DistanceKernel pairs;
  double constant = 0.0;  // the offset of the wanted function, which softmax ignores
};

/// Fits the shape by least squares over |Δ| ≤ 40 with the first `count` pairs; near distances weigh
/// more.
FittedKernel shapedKernel(const std::vector<DistancePiece>& shape, Index count);

/// A kernel of the position i instead of a distance: 1 at i = 0, 0 at all others within reach,
/// below 0.8 beyond it.
FittedKernel firstPlace(Index count);

}  // namespace headscope
