#include "app/cli/model_text.h"

#include <fmt/format.h>

#include <array>

#include "app/cli/config_options.h"
#include "core/attention/ledger.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/formats/attention_file.h"

namespace headscope::cli {

std::string readStandardInput(std::istream* in, std::string_view flag, std::size_t mostBytes) {
  if (in == nullptr) {
    throw UserError(
        fmt::format("{} -: the standard input carries requests: give the text itself", flag));
  }
  std::string text;
  std::array<char, 1 << 16> part;
  while (in->read(part.data(), part.size()), in->gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in->gcount()));
    if (text.size() <= mostBytes) continue;
    throw UserError(fmt::format("{} -: the standard input has more than {} MiB: give less", flag,
                                mostBytes >> 20));
  }
  return text;
}

void addModelText(CLI::App& app, ModelTextOptions& options, const Context& context) {
  options.in = context.in;
  addRepeatable(app, "--text", options.texts, "TEXT", "the text");
  app.add_option("--pair", options.pair, "two texts, as the model takes pairs")
      ->expected(2)
      ->type_name("A B");
  app.add_option("--file", options.file, "a file with the text, UTF-8; -: the standard input")
      ->check(notEmpty)
      ->type_name("FILE");
}

void setText(ModelTextOptions& options, std::vector<Index>& ids, const formats::TextOrIds& text) {
  options.texts.clear();
  if (text.ids.empty()) options.texts = {text.text};
  ids = text.ids;
}

void addModelIds(CLI::App& app, std::vector<Index>& ids) {
  app.add_option("--ids", ids, "ids of the tokens, without the tokenizer: 1,2,3")
      ->delimiter(',')
      ->check(notWhole)
      ->type_name("N,N…");
}

void addModelFlags(CLI::App& app, const ModelFlags& flags, const Context& context) {
  app.add_option("directory", flags.directory, "the model's folder")
      ->required()
      ->check(notEmpty)
      ->type_name("DIR");
  addAdapterFlags(app, flags.adapter);
  addModelText(app, flags.text, context);
  addModelIds(app, flags.ids);
}

Tokenized tokenized(const ModelTextOptions& options, const tokenizer::Tokenizer& tokenizer,
                    bool special) {
  if (!options.pair.empty()) {
    const auto &first = options.pair.front(), &second = options.pair.back();
    return {options.pair, tokenizer.encodePair(first, second, special, "--pair")};
  }
  if (options.texts.size() > 1) {
    throw UserError(fmt::format(
        "--text was given {} times, and one text is read here: give it once, two as --pair, and "
        "several texts each in a run of its own; with --image each is matched with the image",
        options.texts.size()));
  }
  if (!options.texts.empty()) {
    const std::string& text = options.texts.front();
    return {{text}, tokenizer.encode(text, special, "--text")};
  }
  std::string text = options.file == "-"
                         ? readStandardInput(options.in, "--file", tokenizer::kMostTokenizedBytes)
                         : readText(options.file, tokenizer::kMostTokenizedBytes, "text");
  auto tokens = tokenizer.encode(text, special, options.file);
  return {{std::move(text)}, std::move(tokens)};
}

std::string modelInWords(const model::Model& model) {
  const model::ModelConfig& c = model.config();
  const auto layers = [](const model::ModelConfig& stack) {
    return fmt::format("{} layer{}", stack.depth(), stack.depth() == 1 ? "" : "s");
  };
  if (model.encoder() != nullptr) {
    const model::ModelConfig& e = model.encoder()->config();
    return fmt::format(
        "{}: {}, an encoder of {} with {} heads and a decoder of {} with {}, d_model {}, d_k {}, "
        "{} "
        "parameters",
        model.name(), c.typeName(), layers(e), e.heads, layers(c), c.heads, c.dModel, c.headDim,
        withThousands(model.parameters()));
  }
  if (c.modelType == formats::kAttentionsAlone) {
    return fmt::format("{}: attention weights of {}, {} heads each, {} tokens", model.name(),
                       layers(c), c.heads, withThousands(c.positions));
  }
  return fmt::format("{}: {}, {}, d_model {}, {} heads{}, d_k {}, {} parameters", model.name(),
                     c.typeName(), layers(c), c.dModel, c.heads,
                     c.kvHeads == c.heads ? "" : fmt::format(" on {} key/value heads", c.kvHeads),
                     c.headDim, withThousands(model.parameters()));
}

model::ModelInput modelInput(OpenModels& models, const std::string& folder,
                             const ModelTextOptions& options, const std::vector<Index>& ids,
                             const model::ModelConfig& config) {
  if (config.modelType == formats::kAttentionsAlone) {
    if (options.given() == 0) return formats::inputOfAttentionFile(config, ids);
    throw UserError(fmt::format(
        "{}: its tokens are those of the file: leave the text out, or choose places with --ids",
        folder));
  }
  if (options.given() + (ids.empty() ? 0 : 1) != 1) {
    throw UserError(
        "a model runs on one of --text, --pair, --file and --ids (1,2,3): give one of them");
  }
  if (ids.empty()) {
    const auto tokenizer = models.tokenizer(folder);
    return inputOf(tokenized(options, *tokenizer).tokens, *tokenizer, config);
  }
  model::ModelInput input{ids, {}, {}};
  if (const auto names = models.names(folder)) input.tokens = model::namesOf(ids, *names);
  return input;
}

}  // namespace headscope::cli
