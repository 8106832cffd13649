// Tensor names: classifies the unexpected tensors of a file by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace headscope::formats {

/// True for buffers without weights: causal masks, angles of rotary positions, ids of positions.
/// `name` is of a whole model, or begins at an attention layer.
bool isBuffer(std::string_view name, const Shape& shape);

/// The reason why a tensor changes the result of a pass but cannot be used, with the way out: "is
/// half of a LoRA adapter …: merge it …". Nothing for a name that is not known to do so.
std::optional<std::string> whyUnusable(std::string_view name);

}  // namespace headscope::formats
