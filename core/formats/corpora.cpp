#include "core/formats/corpora.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/file_error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/base/utf8.h"
#include "core/formats/tokenizer_json.h"
#include "core/formats/tokenizer_writer.h"
#include "core/language/stories.h"
#include "core/platform/paths.h"
#include "core/tokenizer/bpe_learning.h"
#include "core/tokenizer/pre_tokenizer.h"

namespace headscope::formats {
namespace {

using tokenizer::WordCounts;

constexpr Index kHeldOutOf = 20;                           // one part of so many is held out
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // of a text that is cut into tokens

/// The end of a part of `text` with at most `most` bytes: behind a space, else behind a character.
std::size_t endOfPart(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  if (const std::size_t space = text.find_last_of(" \n", most - 1);
      space != std::string_view::npos) {
    return space + 1;
  }
  std::size_t end = most;
  while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

/// The paragraphs of a text, with the empty lines after them; its lines where it has no empty ones.
std::vector<std::string_view> paragraphsOf(std::string_view text) {
  const std::string_view gap = text.find("\n\n") == std::string_view::npos ? "\n" : "\n\n";
  std::vector<std::string_view> paragraphs;
  while (!text.empty()) {
    const std::size_t found = text.find(gap);
    const std::size_t next =
        found == std::string_view::npos ? found : text.find_first_not_of('\n', found);
    const std::size_t end = std::min(next, text.size());
    paragraphs.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return paragraphs;
}

/// The tokens of a text, with kBeginToken before each paragraph: a sentence that a user writes
/// begins with it too.
std::vector<std::int32_t> tokensOf(const tokenizer::Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::int32_t> ids;
  std::string piece;
  const auto encode = [&] {
    for (const tokenizer::Token& token : tokenizer.encode(piece, false)) ids.push_back(token.id);
    piece.clear();
  };
  for (std::string_view paragraph : paragraphsOf(text)) {
    piece += language::kBeginToken;
    while (!paragraph.empty()) {
      const std::size_t end = endOfPart(paragraph, kPieceBytes);
      piece += paragraph.substr(0, end);
      paragraph.remove_prefix(end);
      if (piece.size() >= kPieceBytes) encode();
    }
  }
  if (!piece.empty()) encode();
  return ids;
}

/// Calls `call` for each word of a text as GPT-2 cuts it: with the space before it, in byte
/// characters.
template <typename Call>
void eachWord(std::string_view text, Call call) {
  const std::vector<tokenizer::PreTokenizer> gpt2{tokenizer::ByteLevelPreTokenizer{false, true}};
  while (!text.empty()) {
    const std::size_t end = endOfPart(text, kPieceBytes);
    tokenizer::Words words(tokenizer::AlignedText::of(text, {0, static_cast<std::uint32_t>(end)}));
    text.remove_prefix(end);
    tokenizer::preTokenize(gpt2, words);
    for (const tokenizer::Span& span : words.words) call(span.of(words.text.text));
  }
}

WordCounts wordCounts(std::string_view text) {
  WordCounts counts;
  eachWord(text, [&](std::string_view word) {
    const auto found = counts.find(word);
    if (found != counts.end()) {
      ++found->second;
    } else {
      counts.emplace(word, 1);
    }
  });
  return counts;
}

WordCounts characterCounts(std::string_view text) {
  std::map<std::int32_t, Index> points;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = codePointAt(text, at);
    ++points[point.value];
    at += point.bytes;
  }
  WordCounts counts;
  for (const auto& [point, count] : points) {
    counts.emplace(utf8Of(static_cast<char32_t>(point)), count);
  }
  return counts;
}

std::vector<std::string> mostFrequent(const WordCounts& counts, Index most) {
  std::vector<std::pair<std::string_view, Index>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  sorted.resize(std::min(sorted.size(), static_cast<std::size_t>(most)));
  std::vector<std::string> words;
  for (const auto& [word, count] : sorted) words.emplace_back(word);
  return words;
}

constexpr Index kByteTokens = 257;       // the bytes and kBeginToken
constexpr Index kCharacterSpecials = 2;  // kBeginToken and kUnknownToken

/// `merges` receives those of byte pairs.
Json learnedTokenizer(std::string_view text, TextTokens tokens, Index vocabulary,
                      std::vector<tokenizer::LearnedMerge>& merges) {
  if (tokens == TextTokens::characters) {
    return characterTokenizer(mostFrequent(characterCounts(text), vocabulary - kCharacterSpecials));
  }
  WordCounts counts = wordCounts(text);
  if (tokens == TextTokens::words) {
    // bytes are tokens already, and a word that occurs once teaches nothing
    std::erase_if(counts, [](const auto& word) {
      return word.second < 2 || tokenizer::characterBytes(word.first, 0) == word.first.size();
    });
    return wordTokenizer(mostFrequent(counts, vocabulary - kByteTokens));
  }
  tokenizer::BpeLearning learning(counts);
  while (std::ssize(merges) < vocabulary - kByteTokens) {
    auto merge = learning.next();
    if (!merge) break;
    merges.push_back(std::move(*merge));
  }
  return bytePairTokenizer(merges);
}

void setTokenizer(language::Corpus& corpus, Json file) {
  corpus.tokenizer = parseTokenizer(file.dump(), "tokenizer.json");
  corpus.tokenizerFile = std::move(file);
  corpus.vocabulary = corpus.tokenizer->end();
  corpus.beginToken = *corpus.tokenizer->id(language::kBeginToken);
}

/// "\r\n" as "\n".
std::string withLineFeeds(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') result += text[i];
  }
  return result;
}

std::string readableText(const std::filesystem::path& file) {
  std::string text =
      readText(file, static_cast<std::uintmax_t>(kMostTextBytes), "text to learn from");
  if (const auto byte = invalidUtf8At(text)) {
    throw FileError(fmt::format("{} is not UTF-8: byte {} cannot be read; save it as UTF-8",
                                file.string(), *byte));
  }
  if (std::ssize(text) < kLeastTextBytes) {
    throw FileError(
        fmt::format("{} has {} bytes; a model learns from a text of at least {} KiB, so open a "
                    "longer one",
                    file.string(), text.size(), kLeastTextBytes >> 10));
  }
  constexpr std::string_view kByteOrderMark = "\uFEFF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (text.find('\r') != std::string::npos) text = withLineFeeds(text);
  return text;
}

/// The beginning of a text on one line, up to a whole word.
std::string beginningOf(std::string_view text) {
  constexpr std::size_t kExampleBytes = 60;
  std::string example(trimmed(text.substr(0, endOfPart(text, kExampleBytes))));
  std::replace(example.begin(), example.end(), '\n', ' ');
  return example;
}

}  // namespace

language::CorpusPtr storyCorpus(std::uint64_t seed, Index count) {
  auto corpus = std::make_shared<language::Corpus>();
  corpus->id = "stories";
  corpus->title = "Little stories";
  corpus->stories = true;
  corpus->example =
      "One day Mia and Leo went to the park. When Mia and Leo were at the park, Mia gave the coin "
      "to";
  setTokenizer(*corpus, storyTokenizer());
  corpus->sampleBeginning = "One day Mia and Leo went to the river.";
  corpus->source = {{"seed", seed}, {"tokens", count}};
  corpus->training = language::storyTokens(seed, count + count / kHeldOutOf);
  corpus->heldOut.assign(corpus->training.begin() + count, corpus->training.end());
  corpus->training.resize(static_cast<std::size_t>(count));
  return corpus;
}

std::string_view toString(TextTokens tokens) {
  return tokens == TextTokens::words ? "words" : tokens == TextTokens::bpe ? "bpe" : "characters";
}

TextTokens textTokensFromString(std::string_view name) {
  for (const TextTokens tokens : kTextTokens) {
    if (toString(tokens) == name) return tokens;
  }
  throw UserError(fmt::format("unknown tokens '{}'; a text is cut into: words, bpe, characters",
                              excerpt(name, 40)));
}

void checkVocabulary(TextTokens tokens, Index vocabulary) {
  const bool characters = tokens == TextTokens::characters;
  const Index least = characters ? 16 : 300;
  if (vocabulary >= least && vocabulary <= kMostTextTokens) return;
  throw UserError(fmt::format("vocabulary is {}; {} need from {} to {} tokens", vocabulary,
                              characters ? "characters" : "words and byte pairs, beside 256 bytes,",
                              least, withThousands(kMostTextTokens)));
}

language::CorpusPtr textCorpus(const std::filesystem::path& file, TextTokens tokens,
                               Index vocabulary) {
  checkVocabulary(tokens, vocabulary);
  const std::string text = readableText(file);
  const std::size_t learned = text.size() - text.size() / static_cast<std::size_t>(kHeldOutOf);
  const std::size_t end = endOfPart(text, learned);
  const std::string_view training = std::string_view(text).substr(0, end);
  const std::string_view heldOut = std::string_view(text).substr(end);
  auto corpus = std::make_shared<language::Corpus>();
  corpus->id = "text";
  corpus->title = file.filename().string();
  corpus->example = beginningOf(heldOut);
  corpus->sampleBeginning = corpus->example;
  corpus->source = {{"file", platform::absolutePath(file).string()},
                    {"cut_into", toString(tokens)},
                    {"vocabulary", vocabulary}};
  setTokenizer(*corpus, learnedTokenizer(training, tokens, vocabulary, corpus->merges));
  corpus->training = tokensOf(*corpus->tokenizer, training);
  corpus->heldOut = tokensOf(*corpus->tokenizer, heldOut);
  return corpus;
}

std::vector<tokenizer::TokenId> cutByMerges(const language::Corpus& corpus, std::string_view text,
                                            std::size_t merges) {
  std::vector<tokenizer::TokenId> ids;
  eachWord(text, [&](std::string_view word) {
    for (const std::string& token : tokenizer::cutByMerges(word, corpus.merges, merges)) {
      ids.push_back(*corpus.tokenizer->id(token));
    }
  });
  return ids;
}

}  // namespace headscope::formats
