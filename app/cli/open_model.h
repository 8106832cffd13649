// Open model: opens a model's folder for a command. Parts that the pass leaves out are reported on
// stderr, or refused.
#pragma once

#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/formats/adapter.h"
#include "core/model/model.h"

namespace CLI {
class App;
}

namespace headscope::cli {

inline constexpr const char* kStrictHelp =
    "refuse a model's folder if its config.json has unknown fields or its files have unused "
    "tensors";

/// The flags for a LoRA adapter.
struct AdapterOptions {
  std::string folder;
  std::optional<double> strength;
};
void addAdapterFlags(CLI::App& app, AdapterOptions& options, const std::string& group = {});

/// Returns the folder of a model and the adapter that goes onto it, where `folder` may be an
/// adapter's own. Throws UserError for a strength without an adapter.
formats::AdaptedFolder adaptedFolderFrom(const std::string& folder, const AdapterOptions& options);

/// Throws UserError for a folder that cannot be opened and, if `strict`, for one with parts that
/// would be left out.
model::ModelPtr openModelFolder(const formats::AdaptedFolder& folder, Index layerBudgetBytes,
                                bool strict);

/// Adds "unknown_fields", "unused_tensors" and "notes", the sentences printed on stderr.
void addNotes(Json& json, const model::ModelNotes& notes);

}  // namespace headscope::cli
