#include "core/formats/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/base/downloaded_file.h"
#include "core/base/utf8.h"

namespace headscope::tokenizer {
namespace {

constexpr std::size_t kQuoted = 60;  // bytes of a value that a message quotes

std::string inQuotes(std::string_view text) {
  return fmt::format("\"{}\"", excerpt(text, kQuoted));
}

[[noreturn]] void notKnown(const JsonField& field) {
  field.fail(fmt::format("is {}, which this program does not know",
                         excerpt(field.value().dump(), kQuoted)));
}

/// Throws UserError unless every field is one of these names or null.
void onlyThese(const JsonField& object, std::initializer_list<std::string_view> names) {
  for (const auto& [name, field] : object.fields()) {
    if (field.value().isNull() || name == "type") continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) notKnown(field);
  }
}

bool flagOr(const JsonField& object, std::string_view name, bool otherwise) {
  const auto field = object.find(name);
  return field ? field->flag() : otherwise;
}

std::string textOr(const JsonField& object, std::string_view name, const std::string& otherwise) {
  const auto field = object.find(name);
  return field ? field->text() : otherwise;
}

Index countOr(const JsonField& object, std::string_view name, Index otherwise) {
  const auto field = object.find(name);
  if (!field) return otherwise;
  const Index count = field->whole();
  if (count < 0) field->fail("must not be below 0");
  return count;
}

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

TokenId idOf(const JsonField& field) {
  const Index id = field.whole();
  if (id < 0 || id >= kMostIds) {
    field.fail(fmt::format("is {}; ids are from 0 to {}", id, kMostIds - 1));
  }
  return static_cast<TokenId>(id);
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

/// "Ġ t" or ["Ġ", "t"], as parts of the file's own text.
std::vector<Bpe::Pair> mergesOf(const JsonField& field) {
  std::vector<Bpe::Pair> merges;
  const Json::List& list = field.list();
  merges.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& item = list[i];
    if (const std::string* text = item.text()) {
      const std::size_t space = text->find(' ');
      const bool two =
          space != std::string::npos && text->find(' ', space + 1) == std::string::npos;
      if (two) {
        merges.emplace_back(std::string_view(*text).substr(0, space),
                            std::string_view(*text).substr(space + 1));
        continue;
      }
    } else if (const Json::List* pair = item.list(); pair != nullptr && pair->size() == 2) {
      const std::string *left = pair->front().text(), *right = pair->back().text();
      if (left != nullptr && right != nullptr) {
        merges.emplace_back(*left, *right);
        continue;
      }
    }
    JsonField(item, field.file(), fmt::format("{}[{}]", field.path(), i))
        .fail(fmt::format("must be two tokens, and is {}", excerpt(item.dump(), kQuoted)));
  }
  return merges;
}

Bpe bpeOf(const JsonField& field, const Vocabulary& vocabulary) {
  onlyThese(field, {"vocab", "merges", "dropout", "unk_token", "continuing_subword_prefix",
                    "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges"});
  if (const auto dropout = field.find("dropout"); dropout && dropout->number() != 0.0) {
    dropout->fail(fmt::format("is {}: random tokenization is for training only; use null",
                              dropout->number()));
  }
  BpeSettings settings;
  if (const auto unknown = field.find("unk_token")) settings.unknown = unknown->text();
  settings.continuingPrefix = textOr(field, "continuing_subword_prefix", "");
  settings.endSuffix = textOr(field, "end_of_word_suffix", "");
  settings.fuseUnknown = flagOr(field, "fuse_unk", false);
  settings.byteFallback = flagOr(field, "byte_fallback", false);
  settings.ignoreMerges = flagOr(field, "ignore_merges", false);
  const std::vector<Bpe::Pair> merges = mergesOf(field.at("merges"));
  return {vocabulary, merges, std::move(settings)};
}

TokenId unknownOf(const JsonField& field, const Vocabulary& vocabulary, const char* usual) {
  const std::string unknown = textOr(field, "unk_token", usual);
  if (const auto id = vocabulary.id(unknown)) return *id;
  field.fail(
      fmt::format("has no token for unknown text: unk_token is {}, which is not in the vocabulary",
                  inQuotes(unknown)));
}

/// The type of a model. The first versions of the format do not name it; the fields determine it.
std::string modelType(const JsonField& field) {
  if (const auto type = field.find("type")) return type->text();
  if (field.find("merges")) return "BPE";
  if (field.find("max_input_chars_per_word")) return "WordPiece";
  field.at("type").fail("is missing");
}

Model modelOf(const JsonField& field, const Vocabulary& vocabulary) {
  const std::string name = modelType(field);
  if (name == "BPE") return bpeOf(field, vocabulary);
  if (name == "WordPiece") {
    onlyThese(field,
              {"vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"});
    constexpr Index kUsualCharacters = 100;
    return WordPiece{
        unknownOf(field, vocabulary, "[UNK]"), textOr(field, "continuing_subword_prefix", "##"),
        static_cast<std::size_t>(countOr(field, "max_input_chars_per_word", kUsualCharacters))};
  }
  onlyThese(field, {"vocab", "unk_token"});
  return WordLevel{unknownOf(field, vocabulary, "<unk>")};
}

/// Refuses an unknown model before its vocabulary, which may have another form, is read.
void requireKnownModel(const JsonField& field) {
  const std::string name = modelType(field);
  if (name != "BPE" && name != "WordPiece" && name != "WordLevel") notKnown(field.at("type"));
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
  requireKnownModel(field);
  Vocabulary vocabulary(formats::vocabularyEntries(field.at("vocab")));
  Model model = modelOf(field, vocabulary);
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

std::vector<tokenizer::Vocabulary::Entry> vocabularyEntries(const JsonField& vocabulary) {
  const Json::Fields& fields = vocabulary.object();
  std::vector<tokenizer::Vocabulary::Entry> entries;
  entries.reserve(fields.size());
  for (const auto& [text, value] : fields) {
    const auto id = value.whole();
    if (!id || *id < 0 || *id >= tokenizer::kMostIds) {
      tokenizer::idOf({value, vocabulary.file(),
                       fmt::format("{}.{}", vocabulary.path(), excerpt(text, tokenizer::kQuoted))});
    }
    entries.push_back({text, static_cast<tokenizer::TokenId>(*id)});
  }
  return entries;
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
