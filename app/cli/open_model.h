// Open model: opens models' folders for commands, each once in a process. Parts that a pass leaves
// out are reported on stderr, or refused.
#pragma once

#include <map>
#include <string>

#include "core/base/json.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/model.h"

namespace headscope::cli {

inline constexpr const char* kStrictHelp =
    "refuse a model's folder if its config.json has unknown fields or its files have unused "
    "tensors";

/// Throws UserError for a folder that cannot be opened and, if `strict`, for one with parts that
/// would be left out.
model::ModelPtr openModelFolder(const std::string& folder, Index layerBudgetBytes, bool strict);

/// The models and tokenizers that a process has opened. A folder that is asked for again is not
/// read again.
class OpenModels {
 public:
  /// Throws as openModelFolder does. The budget matters when the folder is opened.
  model::ModelPtr model(const std::string& folder, Index layerBudgetBytes, bool strict);
  /// Throws UserError for a folder without a supported tokenizer.
  formats::TokenizerPtr tokenizer(const std::string& folder);
  /// The tokenizer for token names. Null where the folder has no supported one; ids then name the
  /// tokens.
  formats::TokenizerPtr names(const std::string& folder);
  void close(const std::string& folder) { folders_.erase(folder); }

 private:
  struct Opened {
    model::ModelPtr model;            // null: not opened yet
    formats::TokenizerPtr tokenizer;  // likewise
  };
  std::map<std::string, Opened> folders_;
};

/// Adds "unknown_fields", "unused_tensors" and "notes", the sentences printed on stderr.
void addNotes(Json& json, const model::ModelNotes& notes);

}  // namespace headscope::cli
