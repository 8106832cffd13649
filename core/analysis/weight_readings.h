// Weights read in other ways: by what they move, as a mean over heads, and the largest alone.
//
// Norm-weighted attention: ‖A_ij · v_j · W_O,h‖, the length of what key j gives query i through
// head h, after Kobayashi et al. 2020 (EMNLP): a strong weight on a value of no length moves
// nothing. Beside it the mean over heads, as PyTorch returns weights by default.
//
// In the units of the output. The head's gain, and pins of `heads`, are not in it: both come after
// the weighing.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/document/trace.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// ‖v_j · W_O,h‖ by key, of the key/value head that head h reads.
std::vector<double> valueNorms(const Trace& trace, Index item, Index head);

/// |A_ij| · ‖v_j · W_O,h‖ for a row of weights, or a part of one, and the norms of its keys.
void weighByNorms(std::span<const float> weights, std::span<const float> norms,
                  std::span<float> out);

/// (1/H) Σ_h A^h, one item: (T, M). PyTorch's nn.MultiheadAttention returns this for every item,
/// (B, T, M), unless it is called with average_attn_weights=False. Nothing where cancelled.
std::optional<Tensor> meanWeights(const Trace& trace, Index item,
                                  const ExecutionContext& execution = {});

// Accumulated mass: the largest weights of a row that together make up a share of it, so that long
// rows stay readable: which of them are drawn as lines or named.
//
// Weights count by magnitude: a pin may be negative. One of 0, which every masked one is, never
// belongs to them.

/// The places of the largest weights, largest first (the first of equals first), until they make up
/// `mass` (0 … 1) of the row's sum or are `most`.
std::vector<Index> largestOfMass(std::span<const float> row, double mass,
                                 Index most = std::numeric_limits<Index>::max());

/// Whether largestOfMass gives this place.
bool isOfMass(std::span<const float> row, Index place, double mass);

}  // namespace headscope
