#include "core/tokenizer/bpe_learning.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/tokenizer/aligned_text.h"

namespace headscope::tokenizer {
namespace {

constexpr Index kLeastCount = 2;  // a pair that occurs once is not worth a token

template <typename Take>
void eachCharacter(std::string_view word, Take take) {
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t bytes = characterBytes(word, at);
    take(word.substr(at, bytes));
    at += bytes;
  }
}

}  // namespace

std::vector<std::string> cutByMerges(std::string_view word, std::span<const LearnedMerge> merges,
                                     std::size_t count) {
  std::vector<std::string> tokens;
  eachCharacter(word, [&](std::string_view character) { tokens.emplace_back(character); });
  for (const LearnedMerge& merge : merges.first(std::min(count, merges.size()))) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i, ++kept) {
      const bool joins =
          i + 1 < tokens.size() && tokens[i] == merge.left && tokens[i + 1] == merge.right;
      std::string token = joins ? tokens[i] + tokens[i + 1] : std::move(tokens[i]);
      i += joins ? 1 : 0;
      tokens[kept] = std::move(token);
    }
    tokens.resize(kept);
  }
  return tokens;
}

BpeLearning::BpeLearning(const WordCounts& words) {
  std::set<std::string_view> characters;  // sorted: ids do not depend on the words' order
  for (const auto& [word, count] : words) {
    eachCharacter(word, [&](std::string_view character) { characters.insert(character); });
  }
  for (const std::string_view character : characters) tokenOf(std::string(character));
  for (const auto& [word, count] : words) {
    Word cut{{}, count};
    eachCharacter(word, [&](std::string_view character) {
      cut.tokens.push_back(tokenOf(std::string(character)));
    });
    words_.push_back(std::move(cut));
  }
  for (std::uint32_t word = 0; word < words_.size(); ++word) {
    const std::vector<Token>& cut = words_[word].tokens;
    for (std::size_t i = 1; i < cut.size(); ++i) add(pairOf(cut[i - 1], cut[i]), word);
  }
  for (const auto& [pair, occurrences] : pairs_) enqueue(pair);
}

BpeLearning::Token BpeLearning::tokenOf(const std::string& text) {
  const auto [found, isNew] = tokens_.try_emplace(text, static_cast<Token>(texts_.size()));
  if (isNew) texts_.push_back(text);
  return found->second;
}

void BpeLearning::add(Pair pair, std::uint32_t word) {
  Occurrences& occurrences = pairs_[pair];
  occurrences.count += words_[word].count;
  if (occurrences.words.empty() || occurrences.words.back() != word) {
    occurrences.words.push_back(word);
  }
}

void BpeLearning::enqueue(Pair pair) {
  if (const Index count = pairs_[pair].count; count >= kLeastCount) queue_.push({count, pair});
}

void BpeLearning::join(Pair pair, Token joined, std::uint32_t word, std::vector<Pair>& found) {
  std::vector<Token>& tokens = words_[word].tokens;
  const auto replace = [&](Pair before, Pair after) {
    remove(before, word);
    add(after, word);
    found.push_back(after);
  };
  std::size_t kept = 0;  // the tokens before it are joined already
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool here = i + 1 < tokens.size() && pairOf(tokens[i], tokens[i + 1]) == pair;
    if (!here) {
      tokens[kept++] = tokens[i];
      continue;
    }
    if (kept > 0) {
      replace(pairOf(tokens[kept - 1], tokens[i]), pairOf(tokens[kept - 1], joined));
    }
    if (i + 2 < tokens.size()) {
      replace(pairOf(tokens[i + 1], tokens[i + 2]), pairOf(joined, tokens[i + 2]));
    }
    tokens[kept++] = joined;
    ++i;
  }
  tokens.resize(kept);
}

std::optional<LearnedMerge> BpeLearning::next() {
  while (!queue_.empty()) {
    const Candidate best = queue_.top();
    queue_.pop();
    const auto found = pairs_.find(best.pair);
    if (found == pairs_.end()) continue;  // joined already
    if (found->second.count != best.count) {
      enqueue(best.pair);
      continue;
    }
    const auto left = static_cast<std::size_t>(best.pair >> 32);
    const auto right = static_cast<std::size_t>(best.pair & 0xFFFFFFFF);
    LearnedMerge merge{texts_[left], texts_[right], best.count};
    const Token joined = tokenOf(merge.left + merge.right);
    std::vector<Pair> changed;
    const std::vector<std::uint32_t> words = std::move(found->second.words);
    for (const std::uint32_t word : words) join(best.pair, joined, word, changed);
    pairs_.erase(best.pair);
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const Pair pair : changed) enqueue(pair);
    return merge;
  }
  return std::nullopt;
}

}  // namespace headscope::tokenizer
