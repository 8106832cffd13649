// Unused tensors: what becomes of the tensors in a model's files that no part of the model reads.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/formats/tensor_prefixes.h"
#include "core/formats/weight_files.h"
#include "core/model/model.h"

namespace headscope::formats {

/// The files of a model, and how their tensors are named.
struct NamedTensors {
  const WeightFiles& files;
  const ModelDescription& description;
  const NamePrefix& prefix;
};

/// Checks all tensors whose names are not in `used`. Ignores those without effect: buffers, heads
/// for other tasks, and those equal to the tensor that they repeat, which `repeatedBy` names
/// (empty: none). Throws UserError for other tensors of a part that is read, because they would
/// change the result. Notes the rest.
void checkUnused(const NamedTensors& tensors, const std::set<std::string>& used,
                 const std::function<std::string(std::string_view)>& repeatedBy,
                 model::ModelNotes& notes);

}  // namespace headscope::formats
