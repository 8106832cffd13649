// Other readings of weights: weighted by value norms, averaged over heads, and the largest alone.
//
// Norm-weighted attention: ‖A_ij · v_j · W_O,h‖, the length of key j's contribution to query i
// through head h, after Kobayashi et al. 2020 (EMNLP): a large weight on a value of length 0
// contributes nothing. The mean over heads is PyTorch's default form of weights.
//
// Norms are in the units of the output. They leave out the head's gain, pins of `heads` and the
// gate, which follow the weighing.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/base/execution.h"
#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Returns ‖v_j · W_O,h‖ for each key j, with v of the key/value head that head h reads.
std::vector<double> valueNorms(const Trace& trace, Index item, Index head);

/// Computes |A_ij| · ‖v_j · W_O,h‖ from a row of weights, or a part of one, and the norms of its
/// keys.
void weighByNorms(std::span<const float> weights, std::span<const float> norms,
                  std::span<float> out);

/// (1/H) Σ_h A^h, one item: (T, M). PyTorch's nn.MultiheadAttention returns this for every item,
/// (B, T, M), unless it is called with average_attn_weights=False. Nothing where cancelled.
std::optional<Tensor> meanWeights(const Trace& trace, Index item,
                                  const ExecutionContext& execution = {});

// Accumulated mass: the largest weights of a row that together make up a share of its sum. In long
// rows only these are drawn as lines or named.
//
// Weights count by magnitude, since a pin may be negative. A weight of 0, as of a masked key, is
// never among them.

/// The places of the largest weights, largest first (the first of equals first), until they make up
/// `mass` (0 … 1) of the row's sum or are `most`.
std::vector<Index> largestOfMass(std::span<const float> row, double mass,
                                 Index most = std::numeric_limits<Index>::max());

/// Returns whether largestOfMass returns this place.
bool isOfMass(std::span<const float> row, Index place, double mass);

}  // namespace headscope
