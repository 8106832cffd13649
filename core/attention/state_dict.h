// State dicts: weights of one attention layer as a file, in nn.MultiheadAttention's names or as
// separate q_proj.weight, k_proj.weight …
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/attention/weights.h"
#include "core/base/memory_budget.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {

/// ε of the norms of queries and keys, which a file does not say: Qwen3's.
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
/// "encoder.layers.0.self_attn.". Every tensor under it is used, a buffer without weights, or
/// refused by its name; without a prefix that holds for the names of an attention layer, and others
/// are ignored: inputs and results may lie in the same file. More than `budgetBytes` for all of
/// them together is refused before any is allocated past it.
LoadedWeights loadWeights(const SafetensorsFile& file, const std::string& prefix = "",
                          Index budgetBytes = defaultMemoryBudget());

/// As nn.MultiheadAttention names them; where its widths are not all d_model as separate
/// q_proj.weight …, since it knows no others. Without `bias` no biases are written.
void saveWeights(const std::filesystem::path& path, const Weights& weights, bool bias,
                 const std::map<std::string, std::string>& metadata = {},
                 FileFloat as = FileFloat::f32);

/// Number of heads that the file tells by the width of its norms; 0: it does not tell.
Index headsOfNorm(const LoadedWeights& loaded);

/// Number of key/value heads the loaded weights mean with `numHeads` query heads; d_k is what W_Q
/// has for each.
Index kvHeadsFor(const LoadedWeights& loaded, Index numHeads, const std::string& where);

/// Whether there is such a number with `numHeads`, which divide W_Q's rows.
bool keysFit(const LoadedWeights& loaded, Index numHeads);

}  // namespace headscope::formats
