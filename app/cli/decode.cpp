// The decode command: the text of token ids, by the tokenizer of a model's folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/index.h"

namespace headscope::cli {
namespace {

struct DecodeOptions {
  std::string directory;
  std::vector<Index> ids;
  bool noSpecial = false;
  bool json = false;
};

struct Decoded {
  std::vector<std::string> tokens;
  std::string text;
};

Decoded decoded(const DecodeOptions& options, OpenModels& models) {
  const formats::TokenizerPtr tokenizer = models.tokenizer(options.directory);
  Decoded found;
  std::vector<tokenizer::TokenId> ids;
  for (const Index id : options.ids) {
    const auto token = static_cast<tokenizer::TokenId>(id);
    const std::string* text = id < 0 ? nullptr : tokenizer->text(token);
    if (text == nullptr) {
      throw UserError(
          fmt::format("--ids {}: the tokenizer of {} has no such token", id, options.directory));
    }
    ids.push_back(token);
    found.tokens.push_back(*text);
  }
  found.text = tokenizer->decode(ids, !options.noSpecial);
  return found;
}

Json decodedJson(const DecodeOptions& options, OpenModels& models) {
  const Decoded found = decoded(options, models);
  return withSchema("decode",
                    {{"ids", options.ids}, {"tokens", found.tokens}, {"text", found.text}});
}

}  // namespace

Command addDecode(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand("decode", "the text of token ids, as a model's folder has it");
  const auto options = std::make_shared<DecodeOptions>();
  sub->add_option("directory", options->directory, "the folder with the tokenizer")
      ->required()
      ->type_name("DIR");
  sub->add_option("--ids", options->ids, "the ids: 464,3797,3332")
      ->required()
      ->delimiter(',')
      ->check(notNumber)
      ->type_name("N,N ...");
  sub->add_flag("--no-special", options->noSpecial, "leaves special tokens out of the text");
  sub->add_flag("--json", options->json, "print JSON");
  return {sub,
          [options, &context](std::ostream& out) {
            if (options->json) return printJson(out, decodedJson(*options, context.models));
            out << decoded(*options, context.models).text << '\n';
          },
          [options, &context] { return decodedJson(*options, context.models); }};
}

}  // namespace headscope::cli
