// Terms of the glossary in running text.
#include "core/words/glossary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope {
namespace {

std::vector<std::string> termsFound(const std::string& text) {
  std::vector<std::string> words;
  for (const TermPlace& place : termsIn(text)) {
    words.push_back(text.substr(place.begin, place.end - place.begin));
  }
  return words;
}

using TermWords = std::vector<std::string>;

TEST(TermsIn, FindTheFirstMentionOfEach) {
  EXPECT_EQ(termsFound("Softmax turns scores into weights; a score of 0 is no weight of 0."),
            (TermWords{"Softmax", "scores", "weights"}));
  EXPECT_EQ(termsFound("“Heads” ask by their queries."), (TermWords{"Heads", "queries"}));
}

TEST(TermsIn, TakeTheLongestTerm) {
  EXPECT_EQ(termsFound("the pair bias"), (TermWords{"pair bias"}));
  EXPECT_EQ(termsFound("in self-attention"), (TermWords{"self-attention"}));
}

TEST(TermsIn, KnowFormulas) {
  EXPECT_EQ(termsFound("K W^K, then ÷√d_k"), (TermWords{"W^K", "÷√d_k"}));
  EXPECT_EQ(termsFound("d\\_model / heads = d_k"), (TermWords{"d\\_model", "heads", "d_k"}));
}

TEST(TermsIn, FindNoPartsOfWords) {
  EXPECT_TRUE(termsFound("ahead, keyboard, overscored, tokenizer, unmasked").empty());
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
