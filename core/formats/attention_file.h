// Attention file: attention weights that another program computed, as a model whose heads have
// exactly these weights. It is a safetensors file with a tensor `attentions` (layers, heads, T, T),
// rows being queries; its metadata may have "tokens", a JSON list of T names, and "model", a name.
// Cross-attention is (layers, heads, T, M), with "queries" and "keys", T and M names.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/model/model.h"
#include "core/model/model_document.h"

namespace headscope::formats {

/// The type (ModelConfig::modelType) of such a model, whose weights say nothing but its attention.
inline constexpr std::string_view kAttentionsAlone = "attentions";

/// Returns whether the path is of such a file. Reads its header.
bool isAttentionFile(const std::filesystem::path& path);

/// The file as a model of attention alone. X has a 1 at each token's own place, and so have the
/// keys; the query of a token has the logarithms of its weights. Softmax then gives the weights, to
/// rounding. W_O is 0, so that each layer reads X. The model is causal where all weights on later
/// tokens are 0. Throws UserError that names the file and the tensor, also for rows of weights that
/// do not add up to 1.
/// Cross-attention becomes that of a decoder; nothing else of its two stacks is of the file.
model::ModelPtr openAttentionFile(const std::filesystem::path& path, Index layerBudgetBytes);

/// Places of such a model with their names, in order; all of them where `ids` is empty.
model::ModelInput inputOfAttentionFile(const model::ModelConfig& config, std::vector<Index> ids);

}  // namespace headscope::formats
