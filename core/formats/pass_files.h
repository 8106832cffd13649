// Pass files: the input of a pass, its pair bias, the gradient of its output, and its trace as
// files of tensors.
#pragma once

#include <filesystem>

#include "core/base/memory_budget.h"
#include "core/document/fwd.h"
#include "core/tensor/safetensors.h"

namespace headscope {
struct AttentionConfig;
class Gradients;
class PairBias;
struct TensorSource;
}  // namespace headscope

namespace headscope::formats {

/// Reads `x` (B,T,D or T,D) and, if present, `memory`, together within the budget, and the tokens
/// of the metadata, if any.
TensorSource loadInput(const SafetensorsFile& file, Index budgetBytes = defaultMemoryBudget());

/// `grad_output` (B,T,D or T,D), in the shape of the pass's output.
Tensor loadGradOutput(const SafetensorsFile& file, const AttentionConfig& config);

/// `pair_bias` (H,T,M) of a safetensors file, or the numbers of a .npy file. Throws UserError where
/// they do not fit the pass.
PairBias loadPairBias(const std::filesystem::path& path, const AttentionConfig& config);

/// Writes every tensor of the trace under its name, with tokens and configuration in the metadata,
/// and the gradients (may be null) of all operands and results as "grad.NAME".
void saveTrace(const std::filesystem::path& path, const Trace& trace,
               const Gradients* gradients = nullptr);

}  // namespace headscope::formats
