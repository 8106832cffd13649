// Norm-weighted attention: ‖A_ij · v_j · W_O,h‖, the length of what key j gives query i through
// head h, after Kobayashi et al. 2020 (EMNLP): a strong weight on a value of no length moves
// nothing. Beside it the mean over heads, as PyTorch returns weights by default.
//
// In the units of the output. The head's gain, and pins of `heads`, are not in it: both come after
// the weighing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/trace.h"

namespace headscope {

/// ‖v_j · W_O,h‖ by key, of the key/value head that head h reads.
std::vector<double> valueNorms(const Trace& trace, Index item, Index head);

/// |A_ij| · ‖v_j · W_O,h‖ for a row of weights, or a part of one, and the norms of its keys.
void weighByNorms(std::span<const float> weights, std::span<const float> norms,
                  std::span<float> out);

/// (1/H) Σ_h A^h, one item: (T, M). PyTorch's nn.MultiheadAttention returns this for every item,
/// (B, T, M), unless it is called with average_attn_weights=False. Nothing where cancelled.
std::optional<Tensor> meanWeights(const Trace& trace, Index item, const Execution& execution = {});

}  // namespace headscope
