// Open model: opens models' folders for commands, each once in a process. Parts that a pass leaves
// out are reported on stderr, or refused.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/base/json.h"
#include "core/formats/adapter.h"
#include "core/formats/model_config_json.h"
#include "core/formats/tokenizer_json.h"
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

/// The encoder of a CLIP that reads what is given: a text, or an image.
formats::Encoder encoderFor(const std::string& folder, bool image);

/// Throws UserError for a folder that cannot be opened and, if `strict`, for one with parts that
/// would be left out.
model::ModelPtr openModelFolder(const formats::AdaptedFolder& folder, Index layerBudgetBytes,
                                bool strict, formats::Encoder encoder = formats::Encoder::ofImages);

/// Throws UserError for a file of attentions alone, whose weights are only made to give them.
void requireOwnWeights(const model::Model& model, const std::string& path);

/// The models and tokenizers that a process has opened. A folder that is asked for again is not
/// read again.
class OpenModels {
 public:
  /// Throws as openModelFolder does. The budget matters when the folder is opened.
  model::ModelPtr model(const formats::AdaptedFolder& folder, Index layerBudgetBytes, bool strict,
                        formats::Encoder encoder = formats::Encoder::ofImages);
  /// Throws UserError for a folder without a supported tokenizer.
  formats::TokenizerPtr tokenizer(const std::string& folder);
  /// The tokenizer for token names. Null where the folder has no supported one; ids then name the
  /// tokens.
  formats::TokenizerPtr names(const std::string& folder);
  /// The tokenizer of target texts; that of the source where there is one for both.
  formats::TokenizerPtr targetTokenizer(const std::string& folder);
  /// names() for target texts.
  formats::TokenizerPtr targetNames(const std::string& folder);
  /// Forgets a model, with and without adapters, and its tokenizer.
  void close(const std::string& folder);

 private:
  /// A model's folder, its adapter's and the adapter's strength, and the encoder of a CLIP's.
  using Place = std::tuple<std::filesystem::path, std::filesystem::path, double, formats::Encoder>;
  std::map<Place, model::ModelPtr> models_;
  std::map<std::string, formats::TokenizerPtr> tokenizers_, targetTokenizers_;
};

/// Adds "unknown_fields", "unused_tensors" and "notes", the sentences printed on stderr.
void addNotes(Json& json, const model::ModelNotes& notes);

}  // namespace headscope::cli
