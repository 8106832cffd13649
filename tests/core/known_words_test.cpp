// The sentences about words of a text that the program does not know.
#include "core/words/known_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/memory_budget.h"
#include "core/document/document.h"
#include "core/editing/make_document.h"
#include "tests/core/support/cases.h"

namespace headscope {
namespace {

std::vector<std::string> notesOn(std::vector<std::string> texts,
                                 WeightInit init = WeightInit::designed) {
  AttentionConfig config = test::sized(128, 4, 1);
  config.batch = static_cast<Index>(texts.size());
  return notesOnWords(*makeDocument("", config, TextSource{std::move(texts), {}}, Positions::named,
                                    {init, 1, {}}, defaultMemoryBudget()));
}

TEST(NotesOnWords, NameUnknownWordsOnce) {
  EXPECT_TRUE(notesOn({"The cat sat on the mat."}).empty());
  EXPECT_EQ(notesOn({"The zorbling gleeped, and another zorbling slept by the fire."}),
            (std::vector<std::string>{"unknown words, whose class is guessed: zorbling, gleeped"}));
  const auto two = notesOn({"The zorbling slept by the fire.", "The zorbling slept by the fire."});
  EXPECT_EQ(two.size(), 1U);
  std::string many;
  for (char letter = 'a'; letter < 'k'; ++letter)
    many += std::string("the blick") + letter + " and ";
  EXPECT_EQ(
      notesOn({many + "the cat slept by the warm fire."}).front(),
      "unknown words, whose class is guessed: blicka, blickb, blickc, blickd, blicke, blickf, "
      "blickg, blickh and 2 more");
}

TEST(NotesOnWords, SayThatATextIsInAnotherLanguage) {
  const std::string french = "Le chat dort sur le tapis pendant que la pluie tombe.";
  const auto notes = notesOn({french});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find("another language"), std::string::npos);
  EXPECT_TRUE(notesOn({french}, WeightInit::xavier).empty());  // nothing learned from English
}

}  // namespace
}  // namespace headscope
