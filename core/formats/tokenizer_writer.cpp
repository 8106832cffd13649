#include "core/formats/tokenizer_writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/language/stories.h"
#include "core/tokenizer/byte_characters.h"

namespace headscope::formats {
namespace {

using language::kBeginToken, language::kUnknownToken;

Json vocabularyJson(std::span<const std::string> tokens) {
  Json::Fields fields;
  for (const std::string& token : tokens) fields.emplace_back(token, fields.size());
  return Json::objectOf(std::move(fields));
}

Json specialToken(std::string_view content, Index id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

Json replacement(Json pattern, std::string_view content) {
  return {{"type", "Replace"}, {"pattern", std::move(pattern)}, {"content", content}};
}

/// "<s> A", and for a pair "<s> A B".
Json beginsWithToken() {
  const Json begin{{"SpecialToken", {{"id", kBeginToken}, {"type_id", 0}}}};
  const auto text = [](const char* id, int type) {
    return Json{{"Sequence", {{"id", id}, {"type_id", type}}}};
  };
  const Json special{{"id", kBeginToken},
                     {"ids", Json::List{0}},
                     {"tokens", Json::List{std::string(kBeginToken)}}};
  return {{"type", "TemplateProcessing"},
          {"single", Json::List{begin, text("A", 0)}},
          {"pair", Json::List{begin, text("A", 0), text("B", 1)}},
          {"special_tokens", {{std::string(kBeginToken), special}}}};
}

/// A file with the parts that differ between the tokenizers.
Json fileOf(Json normalizer, Json preTokenizer, Json decoder, Json model, bool hasUnknown) {
  Json::List added{specialToken(kBeginToken, 0)};
  if (hasUnknown) added.push_back(specialToken(kUnknownToken, 1));
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", std::move(added)},
          {"normalizer", std::move(normalizer)},
          {"pre_tokenizer", std::move(preTokenizer)},
          {"post_processor", beginsWithToken()},
          {"decoder", std::move(decoder)},
          {"model", std::move(model)}};
}

Json bytePairModel(Json vocabulary, Json merges, bool keepsWords, Json unknown) {
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", std::move(unknown)},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", keepsWords},
          {"vocab", std::move(vocabulary)},
          {"merges", std::move(merges)}};
}

Json byteLevel(bool cuts) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", false},
          {"use_regex", cuts}};
}

/// kBeginToken, and all bytes as byte characters.
std::vector<std::string> byteTokens() {
  std::vector<std::string> tokens{std::string(kBeginToken)};
  constexpr int kBytes = 256;
  for (int byte = 0; byte < kBytes; ++byte) {
    tokens.push_back(tokenizer::byteCharacter(static_cast<unsigned char>(byte)));
  }
  return tokens;
}

std::string lowerCased(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

Json storyTokenizer() {
  Json::List steps{{{"type", "Lowercase"}}};
  const auto replaceWord = [&](const std::string& word, std::string_view by) {
    steps.push_back(replacement({{"Regex", "\\b" + word + "\\b"}}, by));
  };
  for (const std::string& word : language::storyWords()) {
    if (const std::string lower = lowerCased(word); lower != word) replaceWord(lower, word);
  }
  // plurals that are read as what they stand for
  replaceWord("foxs", "foxes");
  replaceWord("mouses", "mice");
  return fileOf({{"type", "Sequence"}, {"normalizers", std::move(steps)}},
                {{"type", "BertPreTokenizer"}},
                {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}},
                {{"type", "WordLevel"},
                 {"vocab", vocabularyJson(language::storyWords())},
                 {"unk_token", kUnknownToken}},
                true);
}

Json wordTokenizer(std::span<const std::string> words) {
  std::vector<std::string> tokens = byteTokens();
  tokens.insert(tokens.end(), words.begin(), words.end());
  return fileOf(nullptr, byteLevel(true), byteLevel(true),
                bytePairModel(vocabularyJson(tokens), Json::emptyList(), true, nullptr), false);
}

Json bytePairTokenizer(std::span<const tokenizer::LearnedMerge> merges) {
  std::vector<std::string> tokens = byteTokens();
  std::unordered_set<std::string> known(tokens.begin(), tokens.end());
  Json::List pairs;
  for (const tokenizer::LearnedMerge& merge : merges) {
    if (std::string joined = merge.left + merge.right; known.insert(joined).second) {
      tokens.push_back(std::move(joined));
    }
    pairs.push_back(merge.left + " " + merge.right);
  }
  return fileOf(nullptr, byteLevel(true), byteLevel(true),
                bytePairModel(vocabularyJson(tokens), std::move(pairs), false, nullptr), false);
}

Json characterTokenizer(std::span<const std::string> characters) {
  std::vector<std::string> tokens{std::string(kBeginToken), std::string(kUnknownToken)};
  tokens.insert(tokens.end(), characters.begin(), characters.end());
  return fileOf(nullptr, nullptr, {{"type", "Fuse"}},
                bytePairModel(vocabularyJson(tokens), Json::emptyList(), false, kUnknownToken),
                true);
}

}  // namespace headscope::formats
