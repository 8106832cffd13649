// Model text: the flags for a model's text and its tokens, shared by all commands that take a
// model's folder.
#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/context.h"
#include "app/cli/open_model.h"
#include "core/formats/text_set.h"
#include "core/model/tokenized.h"

namespace headscope::cli {

struct ModelTextOptions {
  std::vector<std::string> texts;  // several are lines that an image is matched with
  std::vector<std::string> pair;   // two, or none
  std::string file;                // "-": the standard input
  std::istream* in = nullptr;      // the standard input; null: it cannot be read

  int given() const {
    return (texts.empty() ? 0 : 1) + (pair.empty() ? 0 : 1) + (file.empty() ? 0 : 1);
  }
};

/// Reads the standard input for a flag that was given as "-". Throws UserError that names the flag
/// where it cannot be read and where it has more bytes.
std::string readStandardInput(std::istream* in, std::string_view flag, std::size_t mostBytes);

/// Adds --text, --pair and --file.
void addModelText(CLI::App& app, ModelTextOptions& options, const Context& context);

/// Sets the text of a set's line in the place of what the flags give.
void setText(ModelTextOptions& options, std::vector<Index>& ids, const formats::TextOrIds& text);

/// Adds --ids, token ids in the place of a text.
void addModelIds(CLI::App& app, std::vector<Index>& ids);

/// The options of a command that runs a model on a text.
struct ModelFlags {
  std::string& directory;
  AdapterOptions& adapter;
  ModelTextOptions& text;
  std::vector<Index>& ids;
};
/// Adds the model's folder, the flags of an adapter, those of a text, and --ids.
void addModelFlags(CLI::App& app, const ModelFlags& flags, const Context& context);

/// One or two texts, and their tokens.
struct Tokenized {
  std::vector<std::string> texts;
  std::vector<tokenizer::Token> tokens;
};

/// Tokenizes the given text, pair or file. Throws UserError that names the flag or file.
Tokenized tokenized(const ModelTextOptions& options, const tokenizer::Tokenizer& tokenizer,
                    bool special = true);

/// "tiny-gpt2: gpt2, 2 layers, d_model 32, 4 heads, d_k 8, 30,000 parameters".
std::string modelInWords(const model::Model& model);

/// The input of the model in this folder: a text, or the given ids unchanged; `ids` may be empty.
/// Ids need no tokenizer. Throws UserError unless exactly one input is given.
model::ModelInput modelInput(OpenModels& models, const std::string& folder,
                             const ModelTextOptions& options, const std::vector<Index>& ids,
                             const model::ModelConfig& config);

}  // namespace headscope::cli
