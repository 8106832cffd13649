#include "app/cli/asked_word.h"

#include <fmt/format.h>

#include "app/cli/config_options.h"
#include "core/base/error.h"
#include "core/model/tokenized.h"

namespace headscope::cli {
namespace {

std::optional<Index> wordOf(const char* flag, const std::string& text,
                            const std::optional<Index>& id, const model::ModelConfig& config,
                            const formats::TokenizerPtr& names) {
  if (id) return id;
  if (text.empty()) return std::nullopt;
  try {
    return model::onePredicted(text, config, names.get());
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", flag, error.what()));
  }
}

}  // namespace

void addAskedWord(CLI::App& app, AskedWordOptions& o) {
  auto* tokenId = app.add_option("--token-id", o.tokenId, "the id of the word that is predicted")
                      ->check(notWhole)
                      ->type_name("R");
  auto* token = app.add_option("--token", o.token,
                               "the word that is predicted, one token, with the space before it "
                               "(\" cat\"); absent: the most probable one")
                    ->check(notEmpty)
                    ->excludes(tokenId)
                    ->type_name("W");
  auto* againstId =
      app.add_option("--against-id", o.againstId, "the id of a word whose logit is subtracted")
          ->check(notWhole)
          ->type_name("R");
  auto* against = app.add_option("--against", o.against, "a word whose logit is subtracted")
                      ->check(notEmpty)
                      ->excludes(againstId)
                      ->type_name("W");
  (void)token;
  (void)against;
  app.add_option(
         "--at", o.at,
         "the token of the text, from 0, after which it is predicted (the last, or the mask "
         "token of a text for a model like BERT)")
      ->check(notWhole)
      ->type_name("K");
}

AskedWordOptions withAnswers(AskedWordOptions options, const std::vector<std::string>& answers) {
  if (options.given() || answers.empty()) return options;
  options.token = answers.front();
  if (answers.size() > 1) options.against = answers.back();
  return options;
}

model::AskedWord askedWord(const AskedWordOptions& options, const model::ModelTrace& trace,
                           const formats::TokenizerPtr& names) {
  const model::ModelConfig& config = trace.config();
  const auto other = wordOf("--against", options.against, options.againstId, config, names);
  if (other && !options.given()) {
    throw UserError("--against and --against-id need a word: give --token or --token-id");
  }
  const Index row = options.at.value_or(model::readPlace(trace, names.get()));
  if (row < 0 || row >= trace.tokens()) {
    throw UserError(
        fmt::format("--at {}: the text has the tokens 0 to {}", row, trace.tokens() - 1));
  }
  const auto word = wordOf("--token", options.token, options.tokenId, config, names);
  return {row, word ? *word : trace.predictions(row, 1).front().id, other};
}

std::string tokenInWords(Index id, const formats::TokenizerPtr& names) {
  return names == nullptr ? std::to_string(id) : model::namesOf({id}, *names).front();
}

std::string inWords(const model::AskedWord& asked, const model::ModelConfig& config,
                    const formats::TokenizerPtr& names) {
  const auto nameOf = [&](Index id) {
    const std::string name = model::predictedName(id, config, names.get());
    return name.empty() ? std::to_string(id) : name;
  };
  const std::string word = nameOf(asked.word);
  return asked.other ? fmt::format("{} minus {}", word, nameOf(*asked.other)) : word;
}

}  // namespace headscope::cli
