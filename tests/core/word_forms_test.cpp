// Word forms: what words can be by the table, by inflection and by their ending.
#include "core/input/word_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/base/assets.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

/// The cheapest form; `other` where there is none.
WordForm usual(const std::vector<Reading>& readings) {
  const auto least =
      std::min_element(readings.begin(), readings.end(),
                       [](const Reading& a, const Reading& b) { return a.cost < b.cost; });
  return least == readings.end() ? WordForm::other : least->form;
}

bool mayBe(const std::string& word, WordForm form) {
  const auto readings = wordForms().readings(word);
  return std::any_of(readings.begin(), readings.end(),
                     [form](const Reading& reading) { return reading.form == form; });
}

TEST(WordForms, KnowInflections) {
  EXPECT_EQ(usual(wordForms().readings("grandmother")), WordForm::noun);
  EXPECT_EQ(usual(wordForms().readings("neighbours")), WordForm::plural);
  EXPECT_EQ(usual(wordForms().readings("families")), WordForm::plural);
  EXPECT_EQ(usual(wordForms().readings("children")), WordForm::plural);
  EXPECT_EQ(usual(wordForms().readings("postmen")), WordForm::plural);
  EXPECT_EQ(usual(wordForms().readings("bakes")), WordForm::third);
  EXPECT_EQ(usual(wordForms().readings("improves")), WordForm::third);
  EXPECT_EQ(usual(wordForms().readings("dropped")), WordForm::past);
  EXPECT_EQ(usual(wordForms().readings("woke")), WordForm::past);
  EXPECT_EQ(usual(wordForms().readings("repairing")), WordForm::ing);
  EXPECT_TRUE(mayBe("lying", WordForm::ing));
  EXPECT_TRUE(mayBe("ferries", WordForm::plural));
  EXPECT_TRUE(mayBe("carries", WordForm::third));
  EXPECT_EQ(usual(wordForms().readings("noisier")), WordForm::adjective);
  EXPECT_EQ(usual(wordForms().readings("patiently")), WordForm::adverb);
  EXPECT_TRUE(mayBe("broken", WordForm::adjective));
  EXPECT_TRUE(mayBe("play", WordForm::noun));
  EXPECT_TRUE(mayBe("play", WordForm::base));
  EXPECT_TRUE(wordForms().readings("zorbling").empty());
  EXPECT_TRUE(wordForms().readings("s").empty());
  EXPECT_TRUE(wordForms().readings("").empty());
}

TEST(WordForms, AreSomeTwentyThousandWords) {
  std::istringstream table{std::string(asset("word_forms.txt"))};
  std::size_t words = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#' || line[0] == '[') continue;
    words += 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ' '));
  }
  EXPECT_GT(words, 20'000U);
  EXPECT_LT(asset("word_forms.txt").size(), 256U << 10);
}

TEST(WordForms, OfUnknownWordsAreGuessedByTheirEnding) {
  EXPECT_EQ(usual(guessedReadings("quibly")), WordForm::adverb);
  EXPECT_EQ(usual(guessedReadings("frandulous")), WordForm::adjective);
  EXPECT_EQ(usual(guessedReadings("gleeped")), WordForm::past);
  EXPECT_EQ(usual(guessedReadings("zorbling")), WordForm::ing);
  EXPECT_EQ(usual(guessedReadings("snarkness")), WordForm::noun);
  EXPECT_EQ(usual(guessedReadings("quibs")), WordForm::plural);
  EXPECT_EQ(usual(guessedReadings("quib")), WordForm::noun);
}

TEST(WordForms, RefuseWhatIsNoTable) {
  expectUserError([] { WordForms("# a comment\ncat dog\n"); }, "word_forms.txt: line 2",
                  "before the first group");
  expectUserError([] { WordForms("[n]\ncat\n[nx]\n"); }, "line 3", "\"x\"");
  EXPECT_EQ(usual(WordForms("[v.n]\nbake").readings("bake")), WordForm::base);
}

}  // namespace
}  // namespace headscope
