// Fields of config.json as data: those without effect on a pass, those that ask for mathematics
// which the blocks of the families here do not have, and the kinds of models that need such.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/json.h"

namespace headscope::formats {

/// True for fields of training, generation, special tokens, other heads, and of the tools that
/// wrote the file.
bool isFieldWithoutEffect(std::string_view name);

inline constexpr std::string_view kQuantizedWeights = "quantized weights";

/// The mathematics that a field asks for with this value: "a soft cap on scores"; empty for a value
/// that asks for nothing, such as false or a factor of 1. Nothing for a field that is not known.
std::optional<std::string_view> mathematicsOf(std::string_view name, const Json& value);

/// The mathematics that a kind of model needs and no family here has: "rotary positions on a part
/// of d_k". Empty for a kind that is not known.
std::string_view mathematicsOfType(std::string_view modelType);

}  // namespace headscope::formats
