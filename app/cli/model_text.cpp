#include "app/cli/model_text.h"

#include <fmt/format.h>

#include "app/cli/config_options.h"
#include "core/attention/ledger.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/formats/tokenizer_files.h"

namespace headscope::cli {

void addModelText(CLI::App& app, ModelTextOptions& options) {
  app.add_option("--text", options.text, "the text")->type_name("TEXT");
  app.add_option("--pair", options.pair, "two texts, as the model takes pairs")
      ->expected(2)
      ->type_name("A B");
  app.add_option("--file", options.file, "a file with the text, UTF-8")
      ->check(notEmpty)
      ->type_name("FILE");
}

Tokenized tokenized(const ModelTextOptions& options, const tokenizer::Tokenizer& tokenizer,
                    bool special) {
  if (!options.pair.empty()) {
    const auto &first = options.pair.front(), &second = options.pair.back();
    return {options.pair, tokenizer.encodePair(first, second, special, "--pair")};
  }
  if (options.text) return {{*options.text}, tokenizer.encode(*options.text, special, "--text")};
  std::string text = readText(options.file, tokenizer::kMostTokenizedBytes, "text");
  auto tokens = tokenizer.encode(text, special, options.file);
  return {{std::move(text)}, std::move(tokens)};
}

std::string modelInWords(const model::Model& model) {
  const model::ModelConfig& c = model.config();
  return fmt::format("{}: {}, {} layer{}, d_model {}, {} heads{}, d_k {}, {} parameters",
                     model.name(), c.typeName(), c.layers, c.layers == 1 ? "" : "s", c.dModel,
                     c.heads,
                     c.kvHeads == c.heads ? "" : fmt::format(" on {} key/value heads", c.kvHeads),
                     c.headDim, withThousands(model.parameters()));
}

formats::TokenizerPtr tokenizerForNames(const std::string& folder) {
  if (!formats::hasTokenizer(folder)) return nullptr;
  try {
    return formats::openTokenizer(folder);
  } catch (const UserError&) {
    return nullptr;
  }
}

model::ModelInput modelInput(const std::string& folder, const ModelTextOptions& options,
                             const std::vector<Index>& ids, const model::ModelConfig& config) {
  if (options.given() + (ids.empty() ? 0 : 1) != 1) {
    throw UserError(
        "a model runs on one of --text, --pair, --file and --ids (1,2,3): give one of them");
  }
  if (ids.empty()) {
    const auto tokenizer = formats::openTokenizer(folder);
    return inputOf(tokenized(options, *tokenizer).tokens, *tokenizer, config);
  }
  model::ModelInput input{ids, {}, {}};
  if (const auto names = tokenizerForNames(folder)) input.tokens = model::namesOf(ids, *names);
  return input;
}

}  // namespace headscope::cli
