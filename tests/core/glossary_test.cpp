// Terms of the glossary in running text.
#include "core/words/glossary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope {
namespace {

std::vector<std::string> found(const std::string& text) {
  std::vector<std::string> words;
  for (const TermPlace& place : termsIn(text)) {
    words.push_back(text.substr(place.begin, place.end - place.begin));
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(TermsIn, FindTheFirstMentionOfEach) {
  EXPECT_EQ(found("Softmax turns scores into weights; a score of 0 is no weight of 0."),
            (Words{"Softmax", "scores", "weights"}));
  EXPECT_EQ(found("“Heads” ask by their queries."), (Words{"Heads", "queries"}));
}

TEST(TermsIn, TakeTheLongestTerm) {
  EXPECT_EQ(found("the pair bias"), (Words{"pair bias"}));
  EXPECT_EQ(found("in self-attention"), (Words{"self-attention"}));
}

TEST(TermsIn, KnowFormulas) {
  EXPECT_EQ(found("K W^K, then ÷√d_k"), (Words{"W^K", "÷√d_k"}));
  EXPECT_EQ(found("d\\_model / heads = d_k"), (Words{"d\\_model", "heads", "d_k"}));
}

TEST(TermsIn, FindNoPartsOfWords) {
  EXPECT_TRUE(found("ahead, keyboard, overscored, tokenizer, unmasked").empty());
}

TEST(TermsIn, FindEveryTermByItsShownForm) {
  for (const GlossaryEntry& entry : glossary()) {
    const auto places = termsIn("a " + entry.shown + " here");
    const bool ambiguous = entry.term == "window" || entry.term == "pin" || entry.term == "split" ||
                           entry.term == "output";
    EXPECT_EQ(places.empty(), ambiguous) << entry.term;
    if (!places.empty()) {
      EXPECT_EQ(places.front().entry, &entry) << entry.term;
    }
  }
}

}  // namespace
}  // namespace headscope
