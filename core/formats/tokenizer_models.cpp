#include "core/formats/tokenizer_models.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/utf8.h"
#include "core/formats/tokenizer_fields.h"
#include "core/formats/tokenizer_json.h"

namespace headscope::tokenizer {
namespace {

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

/// [["<unk>", 0.0], ["▁the", -3.2], …]: the tokens in the order of their ids, with the logarithms
/// of their probabilities. Where a token appears twice, the last one counts.
struct ScoredTokens {
  std::vector<Vocabulary::Entry> entries;
  std::vector<double> scores;
};
ScoredTokens scoredTokensOf(const JsonField& field) {
  const Json::List& list = field.list();
  if (list.size() > static_cast<std::size_t>(kMostIds)) field.fail("has too many tokens");
  ScoredTokens tokens;
  for (std::size_t id = 0; id < list.size(); ++id) {
    const Json::List* pair = list[id].list();
    const bool fits = pair != nullptr && pair->size() == 2 && pair->front().text() != nullptr &&
                      pair->back().number().has_value();
    if (!fits) {
      JsonField(list[id], field.file(), fmt::format("{}[{}]", field.path(), id))
          .fail(fmt::format("must be a token and its score, and is {}",
                            excerpt(list[id].dump(), kQuoted)));
    }
    tokens.entries.push_back({*pair->front().text(), static_cast<TokenId>(id)});
    tokens.scores.push_back(*pair->back().number());
  }
  return tokens;
}

Unigram unigramOf(const JsonField& field, const Vocabulary& vocabulary) {
  onlyThese(field, {"vocab", "unk_id", "byte_fallback"});
  UnigramSettings settings;
  if (const auto unknown = field.find("unk_id")) settings.unknown = idOf(*unknown);
  settings.byteFallback = flagOr(field, "byte_fallback", false);
  return {vocabulary, scoredTokensOf(field.at("vocab")).scores, settings};
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
  if (name == "Unigram") return unigramOf(field, vocabulary);
  onlyThese(field, {"vocab", "unk_token"});
  return WordLevel{unknownOf(field, vocabulary, "<unk>")};
}

}  // namespace

ModelWithVocabulary modelWithVocabulary(const JsonField& field) {
  const std::string name = modelType(field);
  if (name != "BPE" && name != "WordPiece" && name != "WordLevel" && name != "Unigram") {
    notKnown(field.at("type"));
  }
  const JsonField tokens = field.at("vocab");
  Vocabulary vocabulary(name == "Unigram" ? scoredTokensOf(tokens).entries
                                          : formats::vocabularyEntries(tokens));
  Model model = modelOf(field, vocabulary);
  return {std::move(vocabulary), std::move(model)};
}

}  // namespace headscope::tokenizer

namespace headscope::formats {

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

}  // namespace headscope::formats
