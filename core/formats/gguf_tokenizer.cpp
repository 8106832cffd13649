// The tokenizer of a GGUF file, written as a tokenizer.json and read as one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/formats/gguf_model.h"
#include "core/tokenizer/aligned_text.h"

namespace headscope::formats {
namespace {

constexpr std::string_view kSpace = "\u2581";

/// The types of tokens, as llama.cpp numbers them (llama_token_type).
enum class TokenType : std::int64_t { normal = 1, unknown, control, userDefined, unused, byte };

/// The expressions by which byte-level tokenizers cut a text, under the names that llama.cpp gives
/// their kinds.
struct Cut {
  std::string_view name;
  const char* expression;   // null: GPT-2's
  bool composes = false;    // NFC first
  bool wholeWords = false;  // a word that is a token is not split
};
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::array kCuts{Cut{"gpt-2", nullptr},
                           Cut{"default", nullptr},
                           Cut{"llama-bpe", kLlama3, false, true},
                           Cut{"llama3", kLlama3, false, true},
                           Cut{"llama-v3", kLlama3, false, true},
                           Cut{"qwen2", kQwen2, true}};

class TokenizerWriter {
 public:
  explicit TokenizerWriter(const GgufFile& file) : file_(file) {
    for (const Json& token : list("tokens")) {
      if (token.text() == nullptr) fail("tokens", "holds something that is no text");
      tokens_.push_back(*token.text());
    }
    if (const Json* types = find("token_type"); types != nullptr && types->list() != nullptr) {
      for (const Json& type : *types->list()) types_.push_back(type.whole().value_or(1));
    }
    types_.resize(tokens_.size(), static_cast<std::int64_t>(TokenType::normal));
  }

  Json write() const {
    const Json* kind = find("model");
    const std::string name = kind != nullptr && kind->text() != nullptr ? *kind->text() : "";
    if (name != "gpt2" && name != "llama") {
      fail("model", fmt::format("is \"{}\", and \"gpt2\" and \"llama\" are read", name));
    }
    const bool pieces = name == "llama";
    Json file = pieces ? sentencePieces() : byteLevel();
    file["version"] = "1.0";
    file["added_tokens"] = addedTokens();
    if (const Json around = special(pieces); !around.isNull()) file["post_processor"] = around;
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw UserError(
        fmt::format("{}: tokenizer.ggml.{} {}; give --ids, or open the same model with "
                    "its tokenizer.json",
                    file_.path().string(), key, what));
  }
  const Json* find(const std::string& key) const {
    return file_.metadata().find("tokenizer.ggml." + key);
  }
  const Json::List& list(const std::string& key) const {
    const Json* found = find(key);
    if (found == nullptr || found->list() == nullptr) fail(key, "is missing");
    return *found->list();
  }
  bool flagOr(const std::string& key, bool otherwise) const {
    const Json* found = find(key);
    return found != nullptr && found->flag() != nullptr ? *found->flag() : otherwise;
  }
  std::optional<std::size_t> idOf(const std::string& key) const {
    const Json* found = find(key);
    const auto id = found != nullptr ? found->natural() : std::nullopt;
    return id && *id < tokens_.size() ? std::optional<std::size_t>(*id) : std::nullopt;
  }
  TokenType typeOf(std::size_t id) const { return static_cast<TokenType>(types_[id]); }

  Json vocabulary() const {
    Json::Fields fields;
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      fields.emplace_back(tokens_[id], Json(id));
    }
    return Json::objectOf(std::move(fields));
  }

  Json addedTokens() const {
    Json added = Json::emptyList();
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      const TokenType type = typeOf(id);
      const bool special = type == TokenType::control || type == TokenType::unknown;
      if (!special && type != TokenType::userDefined) continue;
      added.push_back(
          {{"id", id}, {"content", tokens_[id]}, {"special", special}, {"normalized", false}});
    }
    return added;
  }

  /// [bos] A [eos], as the file wants them; null: neither.
  Json special(bool pieces) const {
    const auto before = flagOr("add_bos_token", pieces) ? idOf("bos_token_id") : std::nullopt;
    const auto after = flagOr("add_eos_token", false) ? idOf("eos_token_id") : std::nullopt;
    if (!before && !after) return nullptr;
    Json known = Json::emptyObject();
    const auto token = [&](std::size_t id, int type) {
      known[tokens_[id]] = {{"id", tokens_[id]},
                            {"ids", Json::List{Json(id)}},
                            {"tokens", Json::List{Json(tokens_[id])}}};
      return Json{{"SpecialToken", {{"id", tokens_[id]}, {"type_id", type}}}};
    };
    const auto around = [&](Json::List& parts, const char* text, int type) {
      if (before) parts.push_back(token(*before, type));
      parts.push_back(Json{{"Sequence", {{"id", text}, {"type_id", type}}}});
      if (after) parts.push_back(token(*after, type));
    };
    Json::List single, pair;
    around(single, "A", 0);
    around(pair, "A", 0);
    around(pair, "B", 1);
    return {{"type", "TemplateProcessing"},
            {"single", std::move(single)},
            {"pair", std::move(pair)},
            {"special_tokens", std::move(known)}};
  }

  Json byteLevel() const {
    const Json* given = find("pre");
    const std::string name =
        given != nullptr && given->text() != nullptr ? *given->text() : "default";
    const auto* cut = std::ranges::find(kCuts, name, &Cut::name);
    if (cut == kCuts.end()) fail("pre", fmt::format("is \"{}\", which is not known", name));
    const auto bytes = [](bool regex) {
      return Json{{"type", "ByteLevel"},
                  {"add_prefix_space", false},
                  {"trim_offsets", false},
                  {"use_regex", regex}};
    };
    Json before = bytes(true);
    if (cut->expression != nullptr) {
      const Json split{{"type", "Split"},
                       {"pattern", {{"Regex", cut->expression}}},
                       {"behavior", "Isolated"},
                       {"invert", false}};
      before = {{"type", "Sequence"}, {"pretokenizers", Json::List{split, bytes(false)}}};
    }
    Json file{{"pre_tokenizer", before}, {"decoder", bytes(true)}};
    if (cut->composes) file["normalizer"] = {{"type", "NFC"}};
    file["model"] = {{"type", "BPE"},
                     {"vocab", vocabulary()},
                     {"merges", list("merges")},
                     {"ignore_merges", cut->wholeWords}};
    return file;
  }

  Json sentencePieces() const {
    const Json replace{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSpace}};
    Json::List steps;
    const bool prefix = flagOr("add_space_prefix", true);
    if (prefix) steps.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
    steps.push_back(replace);
    Json::List decoders{{{"type", "Replace"}, {"pattern", {{"String", kSpace}}}, {"content", " "}},
                        {{"type", "ByteFallback"}},
                        {{"type", "Fuse"}}};
    if (prefix) {
      decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    }
    Json model{{"type", "BPE"},
               {"vocab", vocabulary()},
               {"merges", merges()},
               {"fuse_unk", true},
               {"byte_fallback", true}};
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      if (typeOf(id) == TokenType::unknown) model["unk_token"] = tokens_[id];
    }
    return {{"normalizer", {{"type", "Sequence"}, {"normalizers", std::move(steps)}}},
            {"decoder", {{"type", "Sequence"}, {"decoders", std::move(decoders)}}},
            {"model", std::move(model)}};
  }

  /// The merges that give the pieces, the most probable first, as transformers makes them from
  /// SentencePiece's scores (convert_slow_tokenizer.py, generate_merges).
  Json merges() const {
    const Json::List& scores = list("scores");
    if (scores.size() != tokens_.size()) fail("scores", "has another number of tokens");
    std::unordered_map<std::string_view, std::size_t> ids;
    for (std::size_t id = 0; id < tokens_.size(); ++id) ids.emplace(tokens_[id], id);
    struct Merge {
      double score;
      std::size_t leftLength, rightLength;  // in characters
      std::size_t left, right;
    };
    std::vector<Merge> all;
    constexpr std::size_t kLongest = 256;  // bytes of a piece that is joined
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      const std::string_view piece = tokens_[id];
      if (typeOf(id) != TokenType::normal || piece.size() > kLongest) continue;
      std::vector<std::size_t> ends;  // of its characters
      for (std::size_t at = 0; at < piece.size();) {
        at += tokenizer::characterBytes(piece, at);
        ends.push_back(at);
      }
      const std::size_t first = all.size();
      for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        const auto left = ids.find(piece.substr(0, ends[i])),
                   right = ids.find(piece.substr(ends[i]));
        if (left == ids.end() || right == ids.end()) continue;
        all.push_back({scores[id].number().value_or(0.0), i + 1, ends.size() - i - 1, left->second,
                       right->second});
      }
      std::sort(all.begin() + std::ptrdiff_t(first), all.end(), [](const Merge& a, const Merge& b) {
        return std::pair(a.left, a.right) < std::pair(b.left, b.right);
      });
    }
    std::ranges::stable_sort(all, [](const Merge& a, const Merge& b) {
      return std::tuple(a.score, a.leftLength, a.rightLength) >
             std::tuple(b.score, b.leftLength, b.rightLength);
    });
    Json::List merges;
    for (const Merge& merge : all) {
      merges.push_back(Json::List{Json(tokens_[merge.left]), Json(tokens_[merge.right])});
    }
    return Json(std::move(merges));
  }

  const GgufFile& file_;
  std::vector<std::string> tokens_;
  std::vector<std::int64_t> types_;
};

}  // namespace

TokenizerPtr ggufTokenizer(const GgufFile& file) {
  return parseTokenizer(TokenizerWriter(file).write().dump(), file.path().string());
}

}  // namespace headscope::formats
