// The shipped layer on everyday sentences that no grammar of ours made.
#include "tests/core/everyday_sentences.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/input/example_sentences.h"
#include "core/input/input.h"
#include "core/input/training_domain.h"
#include "core/training/learned_weights.h"
#include "tests/core/support/cases.h"

namespace headscope::test {
namespace {

class EverydaySentences : public testing::TestWithParam<std::string> {};

/// The right word gets the most weight of the asked head, and most of its weight.
TEST_P(EverydaySentences, AreReadByTheShippedLayer) {
  const AttentionConfig config = sized(512, 8, 6);
  const Weights weights = formats::learnedAsset(config, {}, 1).value();
  const SentencesFound found = partnersFound(weights, config, everydaySentences(GetParam()));
  EXPECT_GE(found.all().share(), 0.9) << found.table();
  EXPECT_GE(found.all().meanWeight(), 0.65);
}

/// The examples that are offered work: every word of them is answered right.
TEST(ExampleSentences, AreAnsweredRight) {
  const AttentionConfig config = sized(512, 8, 6);
  const Weights weights = formats::learnedAsset(config, {}, 1).value();
  std::vector<training::Sentence> sentences;
  for (const std::string& text : exampleSentences()) {
    const std::vector<std::string> tokens = tokenize(text);
    sentences.push_back(training::readSentence(tokens).value());
    sentences.back().words = tokens;
  }
  const SentencesFound found = partnersFound(weights, config, sentences);
  EXPECT_EQ(found.all().right, found.all().asked) << found.table();
  EXPECT_GE(found.all().meanWeight(), 0.75);
}

INSTANTIATE_TEST_SUITE_P(Halves, EverydaySentences, testing::Values("tuning", "held_back"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace headscope::test
