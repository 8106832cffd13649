// Family: a kind of model, as data: the model_types that it reads, what its tensors are called, and
// how its sizes and switches are found in config.json. Each has a file of its own in this folder.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/formats/families/tensor_names.h"

namespace headscope::formats {

class ConfigReader;

struct Family {
  std::span<const std::string_view> types;  // model_type
  TensorNames names;
  /// Sets what the reader's `config` has, and those of its `names` that depend on the fields.
  void (*read)(ConfigReader& reader);
};

/// The family of a model_type; null: none.
const Family* familyOf(std::string_view modelType);
/// All model_types, in alphabetical order, separated by commas.
std::string knownTypes();

}  // namespace headscope::formats
