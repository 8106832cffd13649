// The language model that ships with the program: it opens, says the next words of stories, and one
// of its heads looks at the word that decides.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/formats/shipped_model.h"
#include "core/formats/text_templates.h"
#include "core/formats/tokenizer_files.h"
#include "core/language/story_questions.h"
#include "core/model/model_document.h"
#include "core/model/tokenized.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test {
namespace {
using language::StoryCase;

/// In the first layer, counted from 0.
constexpr Index kBoxHead = 0;

class ShippedStories : public testing::Test {
 protected:
  model::ModelTracePtr run(const std::vector<Index>& ids) const {
    return model::runModel(model::makeModelDocument(model_, {ids, {}, {}}), nullptr, {},
                           kBudgetBytes);
  }
  model::ModelTracePtr run(const StoryCase& asked) const {
    return run(std::vector<Index>(asked.tokens.begin(), asked.tokens.end()));
  }
  std::string wordAfter(const std::string& text) const {
    const auto trace = run(inputOf(tokenizer_->encode(text), *tokenizer_, model_->config()).ids);
    const auto best = trace->predictions(trace->tokens() - 1, 1).front().id;
    return *tokenizer_->text(static_cast<tokenizer::TokenId>(best));
  }

  model::ModelPtr model_ = formats::openModel(formats::kStoriesModel, kBudgetBytes);
  formats::TokenizerPtr tokenizer_ = formats::openTokenizer(formats::kStoriesModel);
};

TEST_F(ShippedStories, ReadTheSetOfTextsThatIsOfferedFirst) {
  for (const auto& text : textsOf(formats::readableTemplate(*tokenizer_), *tokenizer_, 20, 7)) {
    for (const auto& token : tokenizer_->encode(text.text.text, false)) {
      EXPECT_NE(*tokenizer_->text(token.id), "<unk>") << text.text.text;
    }
  }
}

TEST_F(ShippedStories, SaysTheNextWordOfTextAsPeopleWriteIt) {
  EXPECT_TRUE(model_->notes().empty());
  EXPECT_EQ(wordAfter("One day Mia and Leo went to the park. When Mia and Leo were at the park, "
                      "Mia gave the coin to"),
            "Leo");
  EXPECT_EQ(wordAfter("Leo was in the shop with Mia. When Leo and Mia were at the shop, Mia gave "
                      "the key to Leo. Leo thanked"),
            "Mia");
  EXPECT_EQ(wordAfter("One day Anna and Tom went to the lake. Anna was tired because"), "she");
}

TEST_F(ShippedStories, AnswersTheSixQuestions) {
  constexpr Index kCases = 30;
  for (std::size_t q = 0; q < language::kStoryQuestions; ++q) {
    Index right = 0;
    for (const StoryCase& each : language::storyCases(q, kCases)) {
      const Index said = run(each)->predictions(std::ssize(each.tokens) - 1, 1).front().id;
      right += said == each.right ? 1 : 0;
    }
    EXPECT_GE(right, 27) << language::storyQuestions()[q].name;
  }
}

TEST_F(ShippedStories, AHeadOfTheFirstLayerKnowsWhatIsInTheBox) {
  constexpr std::size_t kBox = 5;
  Index right = 0, rightWithout = 0;
  double look = 0.0;
  constexpr Index kCases = 30;
  for (const StoryCase& each : language::storyCases(kBox, kCases)) {
    const Index last = std::ssize(each.tokens) - 1;
    const auto trace = run(each);
    look += static_cast<double>(
        trace->layer(0)->value({TensorId::weights, 0, kBoxHead, last, each.decides}));
    const auto off = model::withoutHeads(trace->document(), {{0, kBoxHead}});
    right += trace->predictions(last, 1).front().id == each.right ? 1 : 0;
    rightWithout +=
        model::runModel(off, trace, {}, kBudgetBytes)->predictions(last, 1).front().id == each.right
            ? 1
            : 0;
  }
  EXPECT_GE(look, 0.9 * kCases);
  EXPECT_GE(right, 27);
  EXPECT_LE(rightWithout, 6) << "it is this head's work";
}

}  // namespace
}  // namespace headscope::test
