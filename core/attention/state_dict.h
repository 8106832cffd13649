// State dicts: weights of one attention layer as a file, in nn.MultiheadAttention's names or as
// separate q_proj.weight, k_proj.weight …
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/attention/head_norm.h"
#include "core/attention/weights.h"
#include "core/base/memory_budget.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {

/// ε of the norms of queries and keys. Files do not give it; this is Qwen3's.
inline constexpr double kHeadNormEpsilon = 1e-6;

struct LoadedWeights {
  Weights weights;
  HeadNorm headNorm;  // of q_norm.weight and k_norm.weight (d_k), where the file has them
  bool bias = false;  // the file has biases
  Index dModel = 0;
  Index queryFeatures = 0;  // W_Q's rows: H·d_k
  Index kvWidth = 0;        // W_K's columns: the memory's width
  Index kvFeatures = 0;     // W_K's rows: D_kv
};

/// Throws UserError naming file and tensor, with the shape expected and found. `prefix` as in
/// "encoder.layers.0.self_attn.". Every tensor under it must be used or be a buffer without
/// weights; others are refused by name. Without a prefix this applies only to the names of an
/// attention layer, since the file may also hold inputs and results. If all tensors together exceed
/// `budgetBytes`, the file is refused before memory beyond it is allocated.
LoadedWeights loadWeights(const SafetensorsFile& file, const std::string& prefix = "",
                          Index budgetBytes = defaultMemoryBudget());

/// Writes the weights in nn.MultiheadAttention's names, or as separate q_proj.weight … where not
/// all widths are d_model, which that module requires; a gate is gate_proj.weight and .bias.
/// Without `bias` no biases are written.
void saveWeights(const std::filesystem::path& path, const Weights& weights, bool bias,
                 const std::map<std::string, std::string>& metadata = {},
                 FileFloat as = FileFloat::f32);

/// The number of heads that follows from the width of the file's norms; 0: it has none.
Index headsOfNorm(const LoadedWeights& loaded);

/// The number of key/value heads of the loaded weights, given `numHeads` query heads. d_k is the
/// number of W_Q's rows per query head.
Index kvHeadsFor(const LoadedWeights& loaded, Index numHeads, const std::string& where);

/// Returns whether a number of key/value heads exists for `numHeads`, which must divide W_Q's rows.
bool keysFit(const LoadedWeights& loaded, Index numHeads);

}  // namespace headscope::formats
