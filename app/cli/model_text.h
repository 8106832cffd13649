// Model text: the flags that give a model its text, and its tokens, for all commands that take a
// model's folder.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/tokenizer_json.h"
#include "core/model/tokenized.h"

namespace headscope::cli {

struct ModelTextOptions {
  std::optional<std::string> text;
  std::vector<std::string> pair;  // two, or none
  std::string file;

  int given() const { return (text ? 1 : 0) + (pair.empty() ? 0 : 1) + (file.empty() ? 0 : 1); }
};

void addModelText(CLI::App& app, ModelTextOptions& options);

/// The texts that were asked for, one or two, and their tokens.
struct Tokenized {
  std::vector<std::string> texts;
  std::vector<tokenizer::Token> tokens;
};

/// Of the one that is given. Throws UserError that names the flag or file.
Tokenized tokenized(const ModelTextOptions& options, const tokenizer::Tokenizer& tokenizer,
                    bool special = true);

/// "tiny-gpt2: gpt2, 2 layers, d_model 32, 4 heads, d_k 8, 30,000 parameters".
std::string modelInWords(const model::Model& model);

/// For the names of tokens: null where the folder has no tokenizer, or none that is known here;
/// ids are then called by their numbers.
formats::TokenizerPtr tokenizerForNames(const std::string& folder);

/// What the model of this folder is run on: a text, or ids taken as they are; `ids` may be empty.
/// With ids the folder needs no tokenizer. Throws UserError where both are given, or neither.
model::ModelInput modelInput(const std::string& folder, const ModelTextOptions& options,
                             const std::vector<Index>& ids, const model::ModelConfig& config);

}  // namespace headscope::cli
