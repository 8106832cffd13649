// Open model: opens a model's folder for a command. Parts that the pass leaves out are reported on
// stderr, or refused.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/model/model.h"

namespace headscope::cli {

inline constexpr const char* kStrictHelp =
    "refuse a model's folder if its config.json has unknown fields or its files have unused "
    "tensors";

/// Throws UserError for a folder that cannot be opened and, if `strict`, for one with parts that
/// would be left out.
model::ModelPtr openModelFolder(const std::string& folder, Index layerBudgetBytes, bool strict);

/// Adds "unknown_fields", "unused_tensors" and "notes", the sentences printed on stderr.
void addNotes(Json& json, const model::ModelNotes& notes);

}  // namespace headscope::cli
