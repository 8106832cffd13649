// Asked word: the flags for the prediction that an experiment on a model is about.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/tokenizer_json.h"
#include "core/model/patching.h"

namespace headscope::cli {

struct AskedWordOptions {
  std::optional<Index> tokenId, againstId;
  std::string token, against;  // words of one token
  std::optional<Index> at;     // the token of the text; none: the last

  bool given() const { return tokenId || !token.empty(); }
  /// Returns whether any of the flags is given.
  bool any() const { return given() || againstId || !against.empty() || at; }
};

/// Adds --token-id, --token, --against-id, --against and --at.
void addAskedWord(CLI::App& app, AskedWordOptions& options);

/// The flags, or where they name no word, the answers of a set's text: the right one and, if there
/// are several, the wrong one minus which it is asked for.
AskedWordOptions withAnswers(AskedWordOptions options, const std::vector<std::string>& answers);

/// The word, or the most probable one where no flag names it. `names` may be null. Throws UserError
/// that names the flag.
model::AskedWord askedWord(const AskedWordOptions& options, const model::ModelTrace& trace,
                           const formats::TokenizerPtr& names);

/// "Ġcat", or the id without a tokenizer.
std::string tokenInWords(Index id, const formats::TokenizerPtr& names);
/// "Ġcat", or "Ġcat minus Ġdog"; of a classifier the labels.
std::string inWords(const model::AskedWord& asked, const model::ModelConfig& config,
                    const formats::TokenizerPtr& names);

}  // namespace headscope::cli
