#include "core/formats/older_tokenizers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "core/base/files.h"
#include "core/base/utf8.h"
#include "core/document/trace.h"
#include "core/platform/paths.h"

namespace headscope::tokenizer {
namespace {

using formats::addedToken;
using formats::ofFile;
using formats::tokenizerJson;
using formats::TokenizerPtr;
using formats::vocabularyEntries;

namespace fs = std::filesystem;

using formats::readTokenizerPart;

/// A JSON file of the directory; an empty object where there is none.
struct JsonFile {
  std::string name;
  Json json;

  explicit JsonFile(const fs::path& path) : name(path.string()), json(Json::emptyObject()) {
    if (platform::exists(path)) json = tokenizerJson(readTokenizerPart(path), name);
  }
  JsonField root() const { return {json, name}; }
};

/// The lines of a text without LF or CR LF. Text after the last line end counts as a line if not
/// empty.
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Reads tokenizer_config.json and the files next to it.
class OldFiles {
 public:
  explicit OldFiles(fs::path directory)
      : directory_(std::move(directory)),
        config_(directory_ / "tokenizer_config.json"),
        specials_(directory_ / "special_tokens_map.json"),
        added_(directory_ / "added_tokens.json") {}

  std::string path(const char* name) const { return (directory_ / name).string(); }
  std::string read(const char* name) const { return readTokenizerPart(directory_ / name); }

  /// The class, "BertTokenizer", as named or by the model's type; nothing where no file names it.
  std::optional<std::string> tokenizerClass() const {
    if (const auto field = config_.root().find("tokenizer_class")) {
      std::string name = field->text();
      if (name.ends_with("Fast")) name.resize(name.size() - std::string_view("Fast").size());
      return name;
    }
    const JsonFile model(directory_ / "config.json");
    const auto type = model.root().find("model_type");
    static const std::map<std::string, std::string, std::less<>> kClasses{
        {"gpt2", "GPT2Tokenizer"},   {"roberta", "RobertaTokenizer"},
        {"bert", "BertTokenizer"},   {"distilbert", "DistilBertTokenizer"},
        {"qwen2", "Qwen2Tokenizer"}, {"qwen3", "Qwen2Tokenizer"},
        {"llama", "LlamaTokenizer"}, {"mistral", "LlamaTokenizer"},
        {"gemma", "GemmaTokenizer"}, {"gemma2", "GemmaTokenizer"},
        {"t5", "T5Tokenizer"},       {"albert", "AlbertTokenizer"},
        {"mt5", "T5Tokenizer"},      {"umt5", "T5Tokenizer"},
        {"bart", "BartTokenizer"},   {"marian", "MarianTokenizer"},
        {"clip", "CLIPTokenizer"},   {"clip_text_model", "CLIPTokenizer"}};
    if (!type) return std::nullopt;
    const auto found = kClasses.find(type->text());
    if (found == kClasses.end()) {
      type->fail(fmt::format("is \"{}\"; this program needs tokenizer.json for its tokenizer",
                             excerpt(type->text(), kShown)));
    }
    // cppcheck-suppress derefInvalidIteratorRedundantCheck ; fail() throws
    return found->second;
  }
  [[noreturn]] void refuseClass(const std::string& name, const char* files) const {
    throw FileError(
        fmt::format("{}: tokenizer_class is \"{}\", which this program does not know from {}; put "
                    "its tokenizer.json into the same folder",
                    path("tokenizer_config.json"), excerpt(name, kShown), files));
  }

  bool flag(const char* name, bool otherwise) const {
    const auto field = config_.root().find(name);
    return field ? field->flag() : otherwise;
  }
  std::optional<bool> optionalFlag(const char* name) const {
    const auto field = config_.root().find(name);
    return field ? std::optional(field->flag()) : std::nullopt;
  }

  /// A special token, such as "cls_token", as the files name it, or else by its usual name.
  AddedToken special(const std::string& name, const std::string& usual) const {
    AddedToken token;
    token.content = usual;
    for (const JsonFile* file : {&config_, &specials_}) {
      const auto field = file->root().find(name);
      if (!field) continue;
      if (field->value().text() == nullptr) {
        token = addedToken(*field);
      } else {
        token.content = field->text();
      }
      break;
    }
    token.special = true;
    token.normalized = false;
    return token;
  }

  /// The added tokens with given ids: added_tokens.json, {"<x>": 7}; and tokenizer_config.json's
  /// added_tokens_decoder, {"7": {"content": "<x>", …}}.
  std::vector<AddedToken> withIds() const {
    std::vector<AddedToken> tokens;
    if (const auto decoder = config_.root().find("added_tokens_decoder")) {
      for (const auto& [id, field] : decoder->fields()) {
        tokens.push_back(addedToken(field));
        tokens.back().id = idFrom(id, field);
      }
    }
    for (auto& [text, id] : vocabularyEntries(added_.root())) {
      const bool known =
          std::any_of(tokens.begin(), tokens.end(),
                      [&, &name = text](const AddedToken& token) { return token.content == name; });
      if (known) continue;
      AddedToken token;
      token.content = text;
      token.id = id;
      token.normalized = true;
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

 private:
  static constexpr std::size_t kShown = 40;

  static TokenId idFrom(const std::string& text, const JsonField& field) {
    const bool digits =
        !text.empty() && text.size() <= 7 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) field.fail("must be named by an id");
    return static_cast<TokenId>(std::stol(text));
  }

  fs::path directory_;
  JsonFile config_, specials_, added_;
};

/// Adds a special token if it has an id, and returns that id.
std::optional<TokenId> addSpecial(const AddedToken& token, TokenizerParts& parts) {
  for (AddedToken& known : parts.added) {
    if (known.content != token.content) continue;
    known.special = true;
    return known.id;
  }
  const auto id = parts.vocabulary.id(token.content);
  if (!id) return std::nullopt;
  parts.added.push_back(token);
  parts.added.back().id = *id;
  return id;
}

std::vector<TokenId> requiredSpecial(const AddedToken& token, TokenizerParts& parts) {
  if (const auto id = addSpecial(token, parts)) return {*id};
  throw UserError(fmt::format("the vocabulary lacks \"{}\", which is added to every text",
                              excerpt(token.content, 40)));
}

TokenizerPtr bertFrom(const OldFiles& files) {
  const std::string name = files.path("vocab.txt");
  return ofFile(name, [&]() -> TokenizerPtr {
    const std::string text = files.read("vocab.txt");
    std::vector<Vocabulary::Entry> entries;
    for (const std::string_view line : linesOf(text)) {
      entries.push_back({std::string(line), static_cast<TokenId>(entries.size())});
    }
    Vocabulary vocabulary(std::move(entries));
    const AddedToken unknown = files.special("unk_token", "[UNK]");
    const auto id = vocabulary.id(unknown.content);
    if (!id) {
      throw UserError(
          fmt::format("it lacks \"{}\", the token for unknown text", excerpt(unknown.content, 40)));
    }
    TokenizerParts parts{std::move(vocabulary), WordPiece{*id}, files.withIds(), {}, {}, {}, {}};
    for (const auto& [field, usual] :
         {std::pair{"unk_token", "[UNK]"}, {"pad_token", "[PAD]"}, {"mask_token", "[MASK]"}}) {
      addSpecial(files.special(field, usual), parts);
    }
    const auto cls = requiredSpecial(files.special("cls_token", "[CLS]"), parts);
    const auto sep = requiredSpecial(files.special("sep_token", "[SEP]"), parts);
    BertNormalizer normalizer;
    normalizer.lowercase = files.flag("do_lower_case", true);
    normalizer.chineseCharacters = files.flag("tokenize_chinese_chars", true);
    normalizer.stripAccents = files.optionalFlag("strip_accents");
    parts.normalizers = {normalizer};
    parts.preTokenizers = {BertPreTokenizer{}};
    parts.postProcessors = {
        Template{{{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}},
                 {{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}, {1, 1, {}}, {-1, 1, sep}}}};
    parts.decoders = {WordPieceDecoder{}};
    return std::make_shared<const Tokenizer>(std::move(parts));
  });
}

Bpe mergesFrom(const OldFiles& files, const Vocabulary& vocabulary, BpeSettings settings) {
  const std::string name = files.path("merges.txt");
  return ofFile(name, [&] {
    const std::string text = files.read("merges.txt");
    std::vector<Bpe::Pair> merges;
    std::size_t number = 0;
    for (const std::string_view line : linesOf(text)) {
      ++number;
      if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
      const std::size_t space = line.find(' ');
      if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
        throw UserError(
            fmt::format("line {} must be two tokens separated by a space, and is \"{}\"", number,
                        excerpt(line, 40)));
      }
      merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    }
    return Bpe(vocabulary, merges, std::move(settings));
  });
}

/// The pre-tokeniser of Llama 3 and Qwen, with each digit by itself (Qwen2: "PRETOKENIZE_REGEX").
constexpr const char* kQwenExpression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

void asGpt2(const OldFiles& files, TokenizerParts& parts) {
  const std::string usual = "<|endoftext|>";
  for (const char* name : {"unk_token", "bos_token", "eos_token"}) {
    addSpecial(files.special(name, usual), parts);
  }
  parts.preTokenizers = {ByteLevelPreTokenizer{files.flag("add_prefix_space", false), true}};
  if (!files.flag("add_bos_token", false)) return;
  const auto bos = requiredSpecial(files.special("bos_token", usual), parts);
  parts.postProcessors = {
      Template{{{-1, 0, bos}, {0, 0, {}}}, {{-1, 0, bos}, {0, 0, {}}, {-1, 0, bos}, {1, 1, {}}}}};
}

void asRoberta(const OldFiles& files, TokenizerParts& parts) {
  for (const auto& [name, usual] : {std::pair{"unk_token", "<unk>"}, {"pad_token", "<pad>"}}) {
    addSpecial(files.special(name, usual), parts);
  }
  AddedToken mask = files.special("mask_token", "<mask>");
  mask.lstrip = true;
  addSpecial(mask, parts);
  const auto cls = requiredSpecial(files.special("cls_token", "<s>"), parts);
  const auto sep = requiredSpecial(files.special("sep_token", "</s>"), parts);
  const bool prefix = files.flag("add_prefix_space", false);
  parts.preTokenizers = {ByteLevelPreTokenizer{prefix, true}};
  parts.postProcessors = {
      TrimOffsets{prefix},
      Template{{{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}},
               {{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}, {-1, 0, sep}, {1, 0, {}}, {-1, 0, sep}}}};
}

void asQwen(const OldFiles& files, TokenizerParts& parts) {
  for (const char* name : {"unk_token", "eos_token", "pad_token"}) {
    addSpecial(files.special(name, "<|endoftext|>"), parts);
  }
  parts.normalizers = {UnicodeNormalizer{NormalForm::nfc}};
  parts.preTokenizers = {
      SplitPreTokenizer{Pattern::regex(kQwenExpression), Delimiter::isolated, false},
      ByteLevelPreTokenizer{false, false}};
}

/// The pre-tokeniser of CLIP: words, single digits, and runs of other characters.
constexpr const char* kClipExpression =
    R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";

void asClip(const OldFiles& files, TokenizerParts& parts) {
  const auto special = [&](const char* name, const char* usual) {
    return requiredSpecial(files.special(name, usual), parts);
  };
  const auto begin = special("bos_token", "<|startoftext|>");
  const auto end = special("eos_token", "<|endoftext|>");
  parts.normalizers = {UnicodeNormalizer{NormalForm::nfc},
                       ReplaceNormalizer{Pattern::regex(R"(\s+)"), " "}, LowercaseNormalizer{}};
  parts.preTokenizers = {
      SplitPreTokenizer{Pattern::regex(kClipExpression), Delimiter::removed, true},
      ByteLevelPreTokenizer{false, true}};
  parts.postProcessors = {
      Template{{{-1, 0, begin}, {0, 0, {}}, {-1, 0, end}},
               {{-1, 0, begin}, {0, 0, {}}, {-1, 0, end}, {-1, 0, end}, {1, 0, {}}, {-1, 0, end}}}};
}

/// How the class splits words: CLIP's marks the last token of each.
BpeSettings bpeOf(const OldFiles& files, const std::string& tokenizerClass) {
  BpeSettings settings;
  if (tokenizerClass != "CLIPTokenizer") return settings;
  settings.unknown = files.special("unk_token", "<|endoftext|>").content;
  settings.endSuffix = "</w>";
  return settings;
}

/// T5's 100 sentinels stand behind the file's pieces, the last first.
void addSentinels(TokenizerParts& parts) {
  constexpr TokenId kSentinels = 100;
  const bool named = std::ranges::any_of(
      parts.added, [](const AddedToken& token) { return token.content.starts_with("<extra_id_"); });
  for (TokenId i = 0; !named && i < kSentinels; ++i) {
    AddedToken token;
    token.content = fmt::format("<extra_id_{}>", i);
    token.id = parts.vocabulary.end() + kSentinels - 1 - i;
    token.special = true;
    parts.added.push_back(std::move(token));
  }
}

/// Adds what the class adds: tokens around a text, and behind the file's.
void completeSentencePieces(const OldFiles& files, const std::string& tokenizerClass,
                            TokenizerParts& parts) {
  const auto special = [&](const char* name, const char* usual) {
    return requiredSpecial(files.special(name, usual), parts);
  };
  if (tokenizerClass == "LlamaTokenizer" || tokenizerClass == "GemmaTokenizer") {
    const bool gemma = tokenizerClass == "GemmaTokenizer";
    Template around{{{0, 0, {}}}, {{0, 0, {}}, {1, 1, {}}}};
    if (files.flag("add_bos_token", true)) {
      const auto bos = special("bos_token", gemma ? "<bos>" : "<s>");
      around = {{{-1, 0, bos}, {0, 0, {}}}, {{-1, 0, bos}, {0, 0, {}}, {-1, 1, bos}, {1, 1, {}}}};
    }
    if (files.flag("add_eos_token", false)) {
      const auto eos = special("eos_token", gemma ? "<eos>" : "</s>");
      around.single.push_back({-1, 0, eos});
      around.pair.insert(std::ranges::find(around.pair, 0, &Template::Part::sequence) + 1,
                         {-1, 0, eos});
      around.pair.push_back({-1, 1, eos});
    }
    parts.postProcessors = {around};
  } else if (tokenizerClass == "T5Tokenizer") {
    const auto eos = special("eos_token", "</s>");
    addSentinels(parts);
    parts.postProcessors = {
        Template{{{0, 0, {}}, {-1, 0, eos}}, {{0, 0, {}}, {-1, 0, eos}, {1, 0, {}}, {-1, 0, eos}}}};
  } else if (tokenizerClass == "AlbertTokenizer") {
    const auto cls = special("cls_token", "[CLS]"), sep = special("sep_token", "[SEP]");
    special("mask_token", "[MASK]");
    if (files.flag("do_lower_case", true)) parts.normalizers = {LowercaseNormalizer{}};
    parts.postProcessors = {
        Template{{{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}},
                 {{-1, 0, cls}, {0, 0, {}}, {-1, 0, sep}, {1, 1, {}}, {-1, 1, sep}}}};
  } else {
    files.refuseClass(tokenizerClass, "SentencePiece's file");
  }
}

/// Shows the text of pieces: "▁" is a space.
void decodePieces(const SentencePiece& pieces, TokenizerParts& parts) {
  parts.decoders = {ReplaceDecoder{Pattern::literal("\u2581"), " "}, ByteFallbackDecoder{},
                    FuseDecoder{}};
  if (pieces.addsSpace()) parts.decoders.push_back(StripDecoder{" ", 1, 0});
}

/// One of Marian's two tokenizers: a SentencePiece file splits a text, and vocab.json has the ids.
/// Language codes (">>fra<<") are tokens of their own.
TokenizerPtr marianFrom(const OldFiles& files, const char* file, const char* vocabularyFile) {
  const std::string name = files.path(vocabularyFile);
  Vocabulary vocabulary = ofFile(name, [&] {
    const Json json = tokenizerJson(files.read(vocabularyFile), name);
    return Vocabulary(vocabularyEntries({json, name}));
  });
  return ofFile(files.path(file), [&]() -> TokenizerPtr {
    SentencePiece pieces(files.read(file), SentencePiece::Ids::ofVocabulary);
    TokenizerParts parts{std::move(vocabulary), pieces, files.withIds(), {}, {}, {}, {}};
    requiredSpecial(files.special("unk_token", kUnknown), parts);
    addSpecial(files.special("pad_token", "<pad>"), parts);
    const auto end = requiredSpecial(files.special("eos_token", "</s>"), parts);
    for (TokenId id = 0; id < parts.vocabulary.end(); ++id) {
      const std::string* text = parts.vocabulary.text(id);
      if (text == nullptr || !text->starts_with(">>") || !text->ends_with("<<")) continue;
      AddedToken code;
      code.content = *text;
      code.special = true;
      addSpecial(code, parts);
    }
    parts.postProcessors = {
        Template{{{0, 0, {}}, {-1, 0, end}}, {{0, 0, {}}, {1, 0, {}}, {-1, 0, end}}}};
    decodePieces(pieces, parts);
    return std::make_shared<const Tokenizer>(std::move(parts));
  });
}

TokenizerPtr sentencePiecesFrom(const OldFiles& files, const char* file,
                                const std::string& tokenizerClass) {
  return ofFile(files.path(file), [&]() -> TokenizerPtr {
    SentencePiece pieces(files.read(file));
    TokenizerParts parts{Vocabulary(pieces.entries()), pieces, files.withIds(), {}, {}, {}, {}};
    for (const Vocabulary::Entry& entry : pieces.specials()) {
      AddedToken token;
      token.content = entry.text;
      token.special = true;
      addSpecial(token, parts);
    }
    decodePieces(pieces, parts);
    completeSentencePieces(files, tokenizerClass, parts);
    return std::make_shared<const Tokenizer>(std::move(parts));
  });
}

TokenizerPtr byteLevelFrom(const OldFiles& files, const std::string& tokenizerClass) {
  using Complete = void (*)(const OldFiles&, TokenizerParts&);
  static const std::map<std::string, Complete, std::less<>> kKnown{{"GPT2Tokenizer", asGpt2},
                                                                   {"RobertaTokenizer", asRoberta},
                                                                   {"BartTokenizer", asRoberta},
                                                                   {"CLIPTokenizer", asClip},
                                                                   {"Qwen2Tokenizer", asQwen}};
  const auto known = kKnown.find(tokenizerClass);
  if (known == kKnown.end()) files.refuseClass(tokenizerClass, "vocab.json and merges.txt");
  const std::string name = files.path("vocab.json");
  return ofFile(name, [&]() -> TokenizerPtr {
    const Json json = tokenizerJson(files.read("vocab.json"), name);
    Vocabulary vocabulary(vocabularyEntries({json, name}));
    Bpe bpe = mergesFrom(files, vocabulary, bpeOf(files, tokenizerClass));
    TokenizerParts parts{std::move(vocabulary), std::move(bpe), files.withIds(), {}, {}, {}, {}};
    parts.decoders = {ByteLevelDecoder{}};
    known->second(files, parts);
    return std::make_shared<const Tokenizer>(std::move(parts));
  });
}

}  // namespace
}  // namespace headscope::tokenizer

namespace headscope::formats {

std::string readTokenizerPart(const std::filesystem::path& path) {
  return readText(path, kMostTokenizerBytes, "part of a tokenizer");
}

TokenizerPtr bertTokenizer(const std::filesystem::path& directory) {
  const tokenizer::OldFiles files(directory);
  const auto named = files.tokenizerClass();
  if (named && *named != "BertTokenizer" && *named != "DistilBertTokenizer") {
    files.refuseClass(*named, "vocab.txt");
  }
  return tokenizer::bertFrom(files);
}

TokenizerPtr byteLevelTokenizer(const std::filesystem::path& directory) {
  const tokenizer::OldFiles files(directory);
  return tokenizer::byteLevelFrom(files, files.tokenizerClass().value_or("GPT2Tokenizer"));
}

TokenizerPtr sentencePieceTokenizer(const std::filesystem::path& directory, const char* file,
                                    const char* usual) {
  const tokenizer::OldFiles files(directory);
  return tokenizer::sentencePiecesFrom(files, file, files.tokenizerClass().value_or(usual));
}

TokenizerPtr marianTokenizer(const std::filesystem::path& directory, const char* file,
                             const char* vocabularyFile) {
  return tokenizer::marianFrom(tokenizer::OldFiles(directory), file, vocabularyFile);
}

}  // namespace headscope::formats
