// Tensor prefixes: the prefixes of the names of a model's tensors in its files. They come from the
// family's own names and from the tools that wrapped the model when it was saved.
#pragma once

#include <string>
#include <string_view>

#include "core/formats/weight_files.h"
#include "core/model/model_config.h"

namespace headscope::formats {

/// The prefix of the names of a model's tensors.
struct NamePrefix {
  std::string wrapper;  // of all: "module."
  std::string base;     // of everything but the head, behind the wrapper: "transformer."

  std::string whole() const { return wrapper + base; }
};

/// A tensor of the embedding, which every model of the family has.
std::string_view embeddingName(model::Family family);

/// Finds the prefix by the name of the embedding. Throws UserError where the model is part of a
/// larger one.
NamePrefix prefixIn(const WeightFiles& files, const model::ModelConfig& config);

}  // namespace headscope::formats
