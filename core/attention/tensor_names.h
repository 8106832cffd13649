// Tensor names: what a tensor of a file means to a reader that did not ask for it, by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace headscope::formats {

/// True for buffers without weights: causal masks, angles of rotary positions, ids of positions.
/// `name` is of a whole model, or begins at an attention layer.
bool isBuffer(std::string_view name, const Shape& shape);

/// Why a tensor changes what a pass gives and cannot be used, and the way out: "is half of a LoRA
/// adapter …: merge it …". Nothing for a name that is not known to.
std::optional<std::string> whyUnusable(std::string_view name);

}  // namespace headscope::formats
