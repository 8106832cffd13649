// The tokenize command: splits a text into the tokens of a model's folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/json_lines.h"
#include "app/cli/model_text.h"
#include "app/cli/output.h"
#include "app/cli/text_sets.h"
#include "core/base/error.h"

namespace headscope::cli {
namespace {
using tokenizer::Token;
using tokenizer::Tokenizer;

struct TokenizeOptions {
  std::string directory;
  ModelTextOptions text;
  std::string jsonLines;  // a file of texts, or a template
  TemplateOptions templates;
  bool noSpecial = false;
  bool json = false;
};

Json tokensJson(const Tokenized& result, const Tokenizer& tokenizer) {
  Json ids = Json::emptyList(), tokens = Json::emptyList(), offsets = Json::emptyList(),
       types = Json::emptyList();
  for (const Token& token : result.tokens) {
    ids.push_back(token.id);
    tokens.push_back(*tokenizer.text(token.id));
    offsets.push_back(Json::List{token.offsets.begin, token.offsets.end});
    types.push_back(token.type);
  }
  Json json{{"schema", "headscope.tokenize/1"},
            {"ids", std::move(ids)},
            {"tokens", std::move(tokens)},
            {"offsets", std::move(offsets)}};
  if (result.texts.size() > 1) json["type_ids"] = std::move(types);
  return json;
}

std::string hexOf(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += fmt::format("{}{:02X}", hex.empty() ? "" : " ", static_cast<unsigned char>(byte));
  }
  return hex;
}

void printTokens(std::ostream& out, const Tokenized& result, const Tokenizer& tokenizer) {
  TextTable table({Align::right, Align::right, Align::left, Align::left, Align::left, Align::left});
  table.add({"", "id", "token", "bytes", "at", "text"});
  for (const auto& group : tokenizer::groupsByCharacter(result.tokens)) {
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      const Token& token = result.tokens[i];
      std::string at = "around", shown;
      if (token.sequence >= 0) {
        const std::string& text = result.texts[static_cast<std::size_t>(token.sequence)];
        at = fmt::format("{}–{}", token.offsets.begin, token.offsets.end);
        shown = Json(token.offsets.of(text)).dump();
        if (group.size() > 1) {
          shown += fmt::format(", {} of {}", i - group.begin + 1, group.size());
        }
      }
      table.add({std::to_string(i), std::to_string(token.id),
                 Json(*tokenizer.text(token.id)).dump(), hexOf(tokenizer.bytes(token.id)), at,
                 shown});
    }
  }
  table.print(out);
  std::size_t bytes = 0;
  for (const std::string& text : result.texts) bytes += text.size();
  out << fmt::format("{} token{} for {} byte{}\n", result.tokens.size(),
                     result.tokens.size() == 1 ? "" : "s", bytes, bytes == 1 ? "" : "s");
}

Tokenized tokensOf(const TokenizeOptions& options, const Tokenizer& tokenizer) {
  checkTemplateFlags(options.templates, options.jsonLines);
  if (options.text.given() != 1) {
    throw UserError("tokenize takes exactly one of --text, --pair and --file");
  }
  return tokenized(options.text, tokenizer, !options.noSpecial);
}

Json tokensJsonOf(const TokenizeOptions& options, OpenModels& models) {
  const formats::TokenizerPtr tokenizer = models.tokenizer(options.directory);
  return tokensJson(tokensOf(options, *tokenizer), *tokenizer);
}

Json tokensJsonOfLine(const TokenizeOptions& options, const formats::TextOfSet& text,
                      OpenModels& models) {
  TokenizeOptions line = options;
  std::vector<Index> ids;
  setText(line.text, ids, text.text);
  if (!ids.empty()) throw UserError("tokenize takes texts: give \"text\" in the place of ids");
  return tokensJsonOf(line, models);
}

void runTokenize(const TokenizeOptions& options, OpenModels& models, std::ostream& out) {
  if (!options.jsonLines.empty()) {
    const auto texts = textsOfSet(options.jsonLines, options.templates, models, options.directory,
                                  options.text.in);
    return printJsonLines(out, texts, "tokenize", [&](const formats::TextOfSet& text) {
      return tokensJsonOfLine(options, text, models);
    });
  }
  if (options.json) {
    out << tokensJsonOf(options, models).dump() << '\n';
    return;
  }
  const formats::TokenizerPtr tokenizer = models.tokenizer(options.directory);
  printTokens(out, tokensOf(options, *tokenizer), *tokenizer);
}

}  // namespace

Command addTokenize(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand(
      "tokenize", "splits a text into the tokens of a model's folder (Hugging Face)");
  auto options = std::make_shared<TokenizeOptions>();
  sub->add_option("directory", options->directory,
                  "the folder with tokenizer.json, or vocab.json and merges.txt, or vocab.txt")
      ->required()
      ->type_name("DIR");
  addModelText(*sub, options->text, context);
  addJsonLines(*sub, options->jsonLines);
  addTemplateFlags(*sub, options->templates);
  sub->add_flag("--no-special", options->noSpecial, "without the special tokens around the text");
  sub->add_flag("--json", options->json, "print JSON; offsets are bytes of the text");
  return {sub,
          [options, &context](std::ostream& out) { runTokenize(*options, context.models, out); },
          [options, &context] { return tokensJsonOf(*options, context.models); }};
}

}  // namespace headscope::cli
