// Fields of config.json as data: the fields without effect on a pass, the fields that ask for
// mathematics which no supported block has, and the kinds of models that need such mathematics.
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

/// The mathematics that a kind of model needs and no supported family has: "rotary positions on a
/// part of d_k". Empty for an unknown kind.
std::string_view mathematicsOfType(std::string_view modelType);

}  // namespace headscope::formats
