// Tensor prefixes: the prefixes of the names of a model's tensors in its files. They come from the
// family's own names and from the tools that wrapped the model when it was saved.
#pragma once

#include <string>

#include "core/formats/model_config_json.h"
#include "core/formats/weight_files.h"

namespace headscope::formats {

/// The prefix of the names of a model's tensors.
struct NamePrefix {
  std::string wrapper;  // of all: "module."
  std::string base;     // of everything but the head, behind the wrapper: "transformer."

  std::string whole() const { return wrapper + base; }
};

/// Finds the prefix by the name of the embedding. Throws UserError where the model is part of a
/// larger one.
NamePrefix prefixIn(const WeightFiles& files, const ModelDescription& description);

}  // namespace headscope::formats
