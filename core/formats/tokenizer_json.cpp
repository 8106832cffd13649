#include "core/formats/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/base/downloaded_file.h"
#include "core/base/utf8.h"
#include "core/formats/tokenizer_fields.h"
#include "core/formats/tokenizer_models.h"

namespace headscope::tokenizer {
namespace {

/// {"String": " "} or {"Regex": "\\s+"}.
Pattern patternOf(const JsonField& field) {
  onlyThese(field, {"String", "Regex"});
  if (const auto literal = field.find("String")) return Pattern::literal(literal->text());
  const JsonField expression = field.at("Regex");
  try {
    return Pattern::regex(expression.text());
  } catch (const UserError& error) {
    expression.fail(fmt::format("is refused: {}", error.what()));
  }
}

Delimiter delimiterOf(const JsonField& field) {
  const std::string& name = field.text();
  if (name == "Removed") return Delimiter::removed;
  if (name == "Isolated") return Delimiter::isolated;
  if (name == "MergedWithPrevious") return Delimiter::mergedWithPrevious;
  if (name == "MergedWithNext") return Delimiter::mergedWithNext;
  if (name == "Contiguous") return Delimiter::contiguous;
  notKnown(field);
}

/// The one character of a field.
std::string characterOf(const JsonField& field) {
  const std::string& text = field.text();
  if (text.empty() || characterBytes(text, 0) != text.size()) {
    field.fail(fmt::format("must be one character, and is {}", inQuotes(text)));
  }
  return text;
}

// Lists in which the parts of a Sequence replace it.

void addNormalizers(const JsonField& field, std::vector<Normalizer>& steps) {
  const JsonField type = field.at("type");
  const std::string& name = type.text();
  if (name == "Sequence") {
    onlyThese(field, {"normalizers"});
    for (const JsonField& part : field.at("normalizers").items()) addNormalizers(part, steps);
  } else if (name == "NFC" || name == "NFD" || name == "NFKC" || name == "NFKD") {
    onlyThese(field, {});
    const bool compatibility = name[2] == 'K';
    const bool composes = name.back() == 'C';
    steps.emplace_back(UnicodeNormalizer{compatibility
                                             ? (composes ? NormalForm::nfkc : NormalForm::nfkd)
                                             : (composes ? NormalForm::nfc : NormalForm::nfd)});
  } else if (name == "Lowercase") {
    onlyThese(field, {});
    steps.emplace_back(LowercaseNormalizer{});
  } else if (name == "StripAccents") {
    onlyThese(field, {});
    steps.emplace_back(StripAccentsNormalizer{});
  } else if (name == "Strip") {
    onlyThese(field, {"strip_left", "strip_right"});
    steps.emplace_back(
        StripNormalizer{field.at("strip_left").flag(), field.at("strip_right").flag()});
  } else if (name == "Prepend") {
    onlyThese(field, {"prepend"});
    steps.emplace_back(PrependNormalizer{field.at("prepend").text()});
  } else if (name == "Replace") {
    onlyThese(field, {"pattern", "content"});
    steps.emplace_back(
        ReplaceNormalizer{patternOf(field.at("pattern")), field.at("content").text()});
  } else if (name == "BertNormalizer") {
    onlyThese(field, {"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
    BertNormalizer step;
    step.cleanText = field.at("clean_text").flag();
    step.chineseCharacters = field.at("handle_chinese_chars").flag();
    if (const auto strips = field.find("strip_accents")) step.stripAccents = strips->flag();
    step.lowercase = field.at("lowercase").flag();
    steps.emplace_back(step);
  } else if (name == "Precompiled") {
    onlyThese(field, {"precompiled_charsmap"});
    const JsonField rules = field.at("precompiled_charsmap");
    try {
      steps.emplace_back(Precompiled(fromBase64(rules.text())));
    } catch (const UserError& error) {
      rules.fail(fmt::format("is refused: {}", error.what()));
    }
  } else if (name == "ByteLevel") {
    onlyThese(field, {});
    steps.emplace_back(ByteLevelNormalizer{});
  } else {
    notKnown(type);
  }
}

MetaspacePreTokenizer::Prepend prependOf(const JsonField& field) {
  using Prepend = MetaspacePreTokenizer::Prepend;
  const auto scheme = field.find("prepend_scheme");
  const bool prefix = flagOr(field, "add_prefix_space", true);
  if (!scheme) return prefix ? Prepend::always : Prepend::never;
  const std::string& name = scheme->text();
  if (!prefix && name != "never") {
    scheme->fail(fmt::format("is {}, and add_prefix_space is false", inQuotes(name)));
  }
  if (name == "always") return Prepend::always;
  if (name == "first") return Prepend::first;
  if (name == "never") return Prepend::never;
  notKnown(*scheme);
}

constexpr const char* kMetaspace = "\u2581";

MetaspacePreTokenizer metaspaceOf(const JsonField& field) {
  onlyThese(field, {"replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
  return {characterOf(field.at("replacement")), prependOf(field), flagOr(field, "split", true)};
}

void addPreTokenizers(const JsonField& field, std::vector<PreTokenizer>& steps) {
  const JsonField type = field.at("type");
  const std::string& name = type.text();
  if (name == "Sequence") {
    onlyThese(field, {"pretokenizers"});
    for (const JsonField& part : field.at("pretokenizers").items()) addPreTokenizers(part, steps);
  } else if (name == "ByteLevel") {
    onlyThese(field, {"add_prefix_space", "trim_offsets", "use_regex"});
    steps.emplace_back(ByteLevelPreTokenizer{field.at("add_prefix_space").flag(),
                                             flagOr(field, "use_regex", true)});
  } else if (name == "Split") {
    onlyThese(field, {"pattern", "behavior", "invert"});
    steps.emplace_back(SplitPreTokenizer{patternOf(field.at("pattern")),
                                         delimiterOf(field.at("behavior")),
                                         flagOr(field, "invert", false)});
  } else if (name == "BertPreTokenizer") {
    onlyThese(field, {});
    steps.emplace_back(BertPreTokenizer{});
  } else if (name == "Whitespace") {
    onlyThese(field, {});
    steps.emplace_back(WhitespacePreTokenizer{});
  } else if (name == "WhitespaceSplit") {
    onlyThese(field, {});
    steps.emplace_back(WhitespaceSplitPreTokenizer{});
  } else if (name == "Punctuation") {
    onlyThese(field, {"behavior"});
    const auto behavior = field.find("behavior");
    steps.emplace_back(
        PunctuationPreTokenizer{behavior ? delimiterOf(*behavior) : Delimiter::isolated});
  } else if (name == "Digits") {
    onlyThese(field, {"individual_digits"});
    steps.emplace_back(DigitsPreTokenizer{flagOr(field, "individual_digits", false)});
  } else if (name == "CharDelimiterSplit") {
    onlyThese(field, {"delimiter"});
    steps.emplace_back(
        CharDelimiterPreTokenizer{codePointAt(characterOf(field.at("delimiter")), 0).value});
  } else if (name == "Metaspace") {
    steps.emplace_back(metaspaceOf(field));
  } else {
    notKnown(type);
  }
}

int typeIdOf(const JsonField& field) {
  const int type = field.wholeOf<int>();
  if (type < 0) field.fail("must not be below 0");
  return type;
}

/// [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, …].
std::vector<Template::Part> templateOf(const JsonField& field, const JsonField* specials,
                                       bool pair) {
  std::vector<Template::Part> parts;
  for (const JsonField& item : field.items()) {
    onlyThese(item, {"SpecialToken", "Sequence"});
    if (const auto text = item.find("Sequence")) {
      const JsonField name = text->at("id");
      const bool first = name.text() == "A";
      if (!first && !(pair && name.text() == "B")) notKnown(name);
      parts.push_back({first ? 0 : 1, typeIdOf(text->at("type_id")), {}});
      continue;
    }
    const JsonField special = item.at("SpecialToken");
    const JsonField name = special.at("id");
    Template::Part part{-1, typeIdOf(special.at("type_id")), {}};
    const auto token = specials == nullptr ? std::nullopt : specials->find(name.text());
    if (!token) name.fail(fmt::format("is {}, which special_tokens lacks", inQuotes(name.text())));
    for (const JsonField& id : token->at("ids").items()) part.ids.push_back(idOf(id));
    parts.push_back(std::move(part));
  }
  return parts;
}

/// ["[SEP]", 102].
std::vector<TokenId> namedId(const JsonField& field) {
  const auto items = field.items();
  if (items.size() != 2) field.fail("must be a token and its id");
  items.front().text();
  return {idOf(items.back())};
}

void addPostProcessors(const JsonField& field, std::vector<PostProcessor>& steps) {
  const JsonField type = field.at("type");
  const std::string& name = type.text();
  const auto add = [&](Template around) {
    for (const PostProcessor& step : steps) {
      if (std::holds_alternative<Template>(step)) {
        type.fail(fmt::format("is {}, the second step that adds special tokens", inQuotes(name)));
      }
    }
    steps.emplace_back(std::move(around));
  };
  if (name == "Sequence") {
    onlyThese(field, {"processors"});
    for (const JsonField& part : field.at("processors").items()) addPostProcessors(part, steps);
  } else if (name == "ByteLevel") {
    onlyThese(field, {"add_prefix_space", "trim_offsets", "use_regex"});
    if (flagOr(field, "trim_offsets", true)) {
      steps.emplace_back(TrimOffsets{flagOr(field, "add_prefix_space", true)});
    }
  } else if (name == "TemplateProcessing") {
    onlyThese(field, {"single", "pair", "special_tokens"});
    const auto specials = field.find("special_tokens");
    const JsonField* known = specials ? &*specials : nullptr;
    add({templateOf(field.at("single"), known, false), templateOf(field.at("pair"), known, true)});
  } else if (name == "BertProcessing") {
    onlyThese(field, {"sep", "cls"});
    const auto cls = namedId(field.at("cls")), sep = namedId(field.at("sep"));
    add({{{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}},
         {{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}, {1, 1, {}}, {-1, 1, sep}}});
  } else if (name == "RobertaProcessing") {
    onlyThese(field, {"sep", "cls", "trim_offsets", "add_prefix_space"});
    const auto cls = namedId(field.at("cls")), sep = namedId(field.at("sep"));
    if (flagOr(field, "trim_offsets", true)) {
      steps.emplace_back(TrimOffsets{flagOr(field, "add_prefix_space", true)});
    }
    add({{{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}},
         {{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}, {-1, 0, sep}, {1, 0, {}}, {-1, 0, sep}}});
  } else {
    notKnown(type);
  }
}

void addDecoders(const JsonField& field, std::vector<Decoder>& steps) {
  const JsonField type = field.at("type");
  const std::string& name = type.text();
  if (name == "Sequence") {
    onlyThese(field, {"decoders"});
    for (const JsonField& part : field.at("decoders").items()) addDecoders(part, steps);
  } else if (name == "ByteLevel") {
    onlyThese(field, {"add_prefix_space", "trim_offsets", "use_regex"});
    steps.emplace_back(ByteLevelDecoder{});
  } else if (name == "WordPiece") {
    onlyThese(field, {"prefix", "cleanup"});
    steps.emplace_back(
        WordPieceDecoder{textOr(field, "prefix", "##"), flagOr(field, "cleanup", true)});
  } else if (name == "BPEDecoder") {
    onlyThese(field, {"suffix"});
    steps.emplace_back(BpeDecoder{textOr(field, "suffix", "</w>")});
  } else if (name == "Metaspace") {
    const MetaspacePreTokenizer same = metaspaceOf(field);
    steps.emplace_back(
        MetaspaceDecoder{same.replacement, same.prepend != MetaspacePreTokenizer::Prepend::never});
  } else if (name == "ByteFallback") {
    onlyThese(field, {});
    steps.emplace_back(ByteFallbackDecoder{});
  } else if (name == "Fuse") {
    onlyThese(field, {});
    steps.emplace_back(FuseDecoder{});
  } else if (name == "Strip") {
    onlyThese(field, {"content", "start", "stop"});
    steps.emplace_back(StripDecoder{characterOf(field.at("content")),
                                    static_cast<std::size_t>(countOr(field, "start", 0)),
                                    static_cast<std::size_t>(countOr(field, "stop", 0))});
  } else if (name == "Replace") {
    onlyThese(field, {"pattern", "content"});
    steps.emplace_back(ReplaceDecoder{patternOf(field.at("pattern")), field.at("content").text()});
  } else {
    notKnown(type);
  }
}

std::vector<AddedToken> addedTokensOf(const JsonField& field) {
  std::vector<AddedToken> tokens;
  for (const JsonField& item : field.items()) {
    onlyThese(item, {"id", "content", "special", "single_word", "lstrip", "rstrip", "normalized"});
    tokens.push_back(formats::addedToken(item));
    tokens.back().id = idOf(item.at("id"));
  }
  return tokens;
}

TokenizerParts partsOf(const JsonField& root) {
  onlyThese(root, {"version", "truncation", "padding", "added_tokens", "normalizer",
                   "pre_tokenizer", "post_processor", "decoder", "model"});
  if (const auto version = root.find("version"); version && version->text() != "1.0") {
    notKnown(*version);
  }
  const JsonField field = root.at("model");
  auto [vocabulary, model] = modelWithVocabulary(field);
  TokenizerParts parts{std::move(vocabulary), std::move(model), {}, {}, {}, {}, {}};
  if (const auto own = root.find("added_tokens")) parts.added = addedTokensOf(*own);
  if (const auto own = root.find("normalizer")) addNormalizers(*own, parts.normalizers);
  if (const auto own = root.find("pre_tokenizer")) addPreTokenizers(*own, parts.preTokenizers);
  if (const auto own = root.find("post_processor")) addPostProcessors(*own, parts.postProcessors);
  if (const auto own = root.find("decoder")) addDecoders(*own, parts.decoders);
  return parts;
}

}  // namespace

}  // namespace headscope::tokenizer

namespace headscope::formats {

Json tokenizerJson(std::string_view text, const std::string& file) {
  constexpr JsonLimits kLimits{
      .depth = 32, .keys = std::size_t{1} << 22, .bytes = std::size_t{2} << 30};
  try {
    Json json = parseJson(text, kLimits);
    if (json.fields() == nullptr) throw JsonError(JsonError::Kind::noObject, "it is no object");
    return json;
  } catch (const JsonError& error) {
    if (const auto instead = whatItIsInstead(text.substr(0, kTellingBytes))) {
      throw FileError(fmt::format("{} {}", file, *instead));
    }
    throw FileError(
        fmt::format("{} is not a usable tokenizer: {}; open another", file, error.what()));
  }
}

tokenizer::AddedToken addedToken(const JsonField& field) {
  tokenizer::AddedToken token;
  token.content = field.at("content").text();
  token.special = tokenizer::flagOr(field, "special", false);
  token.singleWord = tokenizer::flagOr(field, "single_word", false);
  token.lstrip = tokenizer::flagOr(field, "lstrip", false);
  token.rstrip = tokenizer::flagOr(field, "rstrip", false);
  token.normalized = tokenizer::flagOr(field, "normalized", !token.special);
  return token;
}

TokenizerPtr parseTokenizer(std::string_view text, const std::string& file) {
  const Json json = tokenizerJson(text, file);
  return ofFile(file, [&] {
    return std::make_shared<const tokenizer::Tokenizer>(tokenizer::partsOf({json, file}));
  });
}

}  // namespace headscope::formats
