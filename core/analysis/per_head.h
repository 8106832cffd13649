// Per head: a projection computed for all heads at once and head by head, to see that one W of
// (D, H·d_k) is H matrices of (D, d_k) side by side: Q = X W^Q has Q_h = X W^Q_h as its columns
// h·d_k … (h+1)·d_k − 1.
#pragma once

#include <optional>
#include <vector>

#include "core/attention/tensor_id.h"
#include "core/base/execution.h"
#include "core/document/fwd.h"

namespace headscope {

struct ProjectionOperands {
  Tensor x;       // (B, T, in)
  Tensor weight;  // (heads · d_k, in)
  Tensor bias;    // (heads · d_k), or empty
  Index heads = 1;

  Index headWidth() const { return weight.dim(0) / heads; }
};

/// Returns the operands of the projection `part` (q, k or v) of a pass. K and V have the key/value
/// heads and, in cross-attention, the memory as input.
ProjectionOperands projectionOperands(const Trace& trace, TensorId part);

struct PerHeadComparison {
  std::vector<Tensor> perHead;  // of each head (B, T, d_k)
  double largestDifference = 0.0;
  double largestValue = 0.0;
  int runs = 0;  // the times are the best of these
  double togetherMs = 0.0;
  double perHeadMs = 0.0;

  /// Returns whether the difference is within the rounding of another order of summation.
  bool agrees() const { return largestDifference <= 1e-5 * largestValue; }
};

/// Computes both with the engine's own code, repeatedly for a quarter of a second, or once where
/// one run takes longer than a second. Nothing where cancelled.
std::optional<PerHeadComparison> comparePerHead(const ProjectionOperands& operands,
                                                const ExecutionContext& execution = {});

}  // namespace headscope
