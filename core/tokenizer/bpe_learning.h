// BPE learning: the merges of a byte-pair encoding, learned from words and how often a text has
// them (Sennrich et al. 2016). The pair of neighbours that occurs most often becomes one token,
// again and again:
//
//   BpeLearning learning({{"low", 5}, {"lower", 2}, {"new", 6}});
//   learning.next();  // {"l", "o"}, 7 times
//   learning.next();  // {"lo", "w"}, 7 times
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/index.h"

namespace headscope::tokenizer {

/// Words by their spelling, and how often each occurs.
using WordCounts = std::map<std::string, Index, std::less<>>;

struct LearnedMerge {
  std::string left, right;
  Index count = 0;  // how often the pair occurs when it is joined
};

/// Cuts a word, in byte characters, as the first `count` merges do: into its characters, which each
/// merge in turn joins wherever its left token stands before its right one.
std::vector<std::string> cutByMerges(std::string_view word, std::span<const LearnedMerge> merges,
                                     std::size_t count);

class BpeLearning {
 public:
  /// The first tokens are the words' characters.
  explicit BpeLearning(const WordCounts& words);

  /// Joins the most frequent pair; of equally frequent ones, the one whose left token is older.
  /// Returns nothing where no pair occurs twice.
  std::optional<LearnedMerge> next();

 private:
  using Token = std::int32_t;
  using Pair = std::uint64_t;  // left in the upper half, right in the lower
  struct Word {
    std::vector<Token> tokens;
    Index count;
  };
  struct Occurrences {
    Index count = 0;                   // in the whole text
    std::vector<std::uint32_t> words;  // that have it, or had it before other merges
  };
  struct Candidate {
    Index count;
    Pair pair;

    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  static Pair pairOf(Token left, Token right) {
    return static_cast<Pair>(left) << 32 | static_cast<std::uint32_t>(right);
  }
  /// The token of a text. Two pairs may give one text, and then they give one token.
  Token tokenOf(const std::string& text);
  void add(Pair pair, std::uint32_t word);
  void remove(Pair pair, std::uint32_t word) { pairs_[pair].count -= words_[word].count; }
  /// Joins a pair in a word; `found` receives the pairs that it has then.
  void join(Pair pair, Token joined, std::uint32_t word, std::vector<Pair>& found);
  void enqueue(Pair pair);

  std::vector<std::string> texts_;  // of the tokens
  std::unordered_map<std::string, Token> tokens_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Occurrences> pairs_;
  std::priority_queue<Candidate> queue_;  // a count may be out of date, and is then too high
};

}  // namespace headscope::tokenizer
