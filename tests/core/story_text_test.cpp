// Texts of a model of stories as people write them.
#include "core/language/story_text.h"

#include <gtest/gtest.h>

namespace headscope::test {
namespace {

using language::asPeopleWrite;

TEST(StoryText, SentencesBeginWithCapitals) {
  EXPECT_EQ(asPeopleWrite("one day Mia slept. a duck swam! what did it see? the end."),
            "One day Mia slept. A duck swam! What did it see? The end.");
  EXPECT_EQ(asPeopleWrite(""), "");
}

TEST(StoryText, QuotationMarksStandAtTheirWords) {
  EXPECT_EQ(asPeopleWrite("it rained. \" look, a duck! \" said Mia. \" no. it is a cat. \" said"),
            "It rained. \"Look, a duck!\" said Mia. \"No. It is a cat.\" said");
  EXPECT_EQ(asPeopleWrite("\"look!\" said Mia"), "\"Look!\" said Mia") << "they stand so already";
}

TEST(StoryText, ACutSentenceIsContinued) {
  EXPECT_EQ(asPeopleWrite(" wanted a toy. she slept", "she"), " wanted a toy. She slept");
  EXPECT_EQ(asPeopleWrite(" she slept", "The duck swam."), " She slept");
  EXPECT_EQ(asPeopleWrite(" a duck! \" said Mia", "Tom slept. \" look,"), " a duck!\" said Mia");
}

}  // namespace
}  // namespace headscope::test
