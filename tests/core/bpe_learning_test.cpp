// Merges learned from counts of words: against a plain count of all pairs, ties, repetitions.
#include "core/tokenizer/bpe_learning.h"

#include <gtest/gtest.h>

#include "core/training/task.h"

namespace headscope::tokenizer {
namespace {

std::vector<LearnedMerge> learned(const WordCounts& words, std::size_t most) {
  BpeLearning learning(words);
  std::vector<LearnedMerge> merges;
  while (merges.size() < most) {
    auto merge = learning.next();
    if (!merge) break;
    merges.push_back(*merge);
  }
  return merges;
}

TEST(BpeLearning, JoinsTheMostFrequentPair) {
  const auto merges = learned({{"low", 5}, {"lower", 2}, {"new", 6}}, 3);
  ASSERT_EQ(merges.size(), 3U);
  EXPECT_EQ(merges[0].left + " " + merges[0].right, "l o");
  EXPECT_EQ(merges[0].count, 7);
  EXPECT_EQ(merges[1].left + " " + merges[1].right, "lo w");
  EXPECT_EQ(merges[1].count, 7);
  EXPECT_EQ(merges[2].left + " " + merges[2].right, "e w");
  EXPECT_EQ(merges[2].count, 6);
}

TEST(BpeLearning, StopsWhereNoPairOccursTwice) {
  EXPECT_EQ(learned({{"ab", 2}, {"cd", 1}}, 10).size(), 1U);
  EXPECT_TRUE(learned({}, 10).empty());
}

TEST(BpeLearning, JoinsARunFromTheLeft) {
  const auto merges = learned({{"aaaaa", 4}}, 10);
  ASSERT_GE(merges.size(), 2U);
  EXPECT_EQ(merges[0].left + " " + merges[0].right, "a a");
  EXPECT_EQ(merges[0].count, 16);  // every pair of neighbours
  EXPECT_EQ(merges[1].left + " " + merges[1].right, "aa a");
}

/// Counts all pairs again for each merge, and takes the first of the most frequent ones in the
/// order of tokens.
std::vector<LearnedMerge> plainly(const WordCounts& words, std::size_t most) {
  std::map<std::string, std::size_t> order;
  std::vector<std::pair<std::vector<std::string>, Index>> cut;
  for (const auto& [word, count] : words) {
    cut.push_back({{}, count});
    for (const char c : word) {
      cut.back().first.emplace_back(1, c);
      order[std::string(1, c)] = 0;
    }
  }
  std::size_t next = 0;
  for (auto& [text, place] : order) place = next++;
  std::vector<LearnedMerge> merges;
  while (merges.size() < most) {
    std::map<std::pair<std::size_t, std::size_t>, LearnedMerge> counts;
    for (const auto& [tokens, count] : cut) {
      for (std::size_t i = 1; i < tokens.size(); ++i) {
        LearnedMerge& merge = counts[{order[tokens[i - 1]], order[tokens[i]]}];
        merge = {tokens[i - 1], tokens[i], merge.count + count};
      }
    }
    LearnedMerge best;
    for (const auto& [pair, merge] : counts) {
      if (merge.count > best.count) best = merge;
    }
    if (best.count < 2) break;
    order.try_emplace(best.left + best.right, next);
    next = order.size();
    for (auto& [tokens, count] : cut) {
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i] != best.left || tokens[i + 1] != best.right) continue;
        tokens[i] += tokens[i + 1];
        tokens.erase(tokens.begin() + static_cast<Index>(i) + 1);
      }
    }
    merges.push_back(best);
  }
  return merges;
}

TEST(BpeLearning, IsThatOfAPlainCount) {
  training::Draws draws(1, "words");
  WordCounts words;
  for (int i = 0; i < 200; ++i) {
    std::string word;
    for (Index left = 1 + draws.below(9); left > 0; --left) {
      word += static_cast<char>('a' + draws.below(4));
    }
    words[word] += 1 + draws.below(5);
  }
  const auto fast = learned(words, 150), plain = plainly(words, 150);
  ASSERT_EQ(fast.size(), plain.size());
  ASSERT_GT(fast.size(), 100U);
  for (std::size_t i = 0; i < fast.size(); ++i) {
    EXPECT_EQ(fast[i].left, plain[i].left) << i;
    EXPECT_EQ(fast[i].right, plain[i].right) << i;
    EXPECT_EQ(fast[i].count, plain[i].count) << i;
  }
}

}  // namespace
}  // namespace headscope::tokenizer
