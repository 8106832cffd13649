// The train page while a language model learns a text of the user's own: choosing it, its tokens,
// the merges of byte pairs, its heads' labels, and a file that cannot be learned from.
#include <fmt/format.h>

#include <string>

#include "../core/test_files.h"
#include "app/ui/export_choice.h"
#include "app/ui/train/language_run_view.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/base/numbers.h"
#include "core/formats/corpora.h"

namespace headscope::ui {
namespace {

/// A text long enough to learn from, whose words are few.
std::string bookText() {
  const char* words[] = {"river", "stone", "light", "water", "morning", "garden"};
  std::string text;
  for (int i = 0; text.size() < 40'000; ++i) {
    text += fmt::format("the {} of the {} was in the {} .\n", words[i % 6], words[(i / 6) % 6],
                        words[(i / 36) % 6]);
  }
  return text;
}

class OwnText : public testing::Test {
 protected:
  OwnText() {
    ui_.view().selection.page = kTrainPage;
    ui_.view().train.task = kOwnText;
    ui_.view().train.layers = 1;
    ui_.view().train.dModel = 8;
    ui_.view().train.heads = 2;
    ui_.view().train.vocabulary = 300;
    ui_.settle();
  }
  void open(const std::string& name, const std::string& text) {
    ui_.app().dropFiles({folder_.file(name, text)});
    ui_.settle();
  }

  TempFolder folder_;
  AppDriver ui_{textDocument("The cat slept ."), 1600, 1000, ViewState()};
};

TEST_F(OwnText, AsksForATextFirst) {
  EXPECT_TRUE(ui_.shows("choose a text …", kTaskCard));
  EXPECT_TRUE(ui_.shows("drop a .txt file on the window", kSentenceHeadsCard));
  EXPECT_FALSE(ui_.shows("It writes"));
  EXPECT_FALSE(ui_.shows("Six questions"));
}

TEST_F(OwnText, LearnsFromADroppedFile) {
  open("book.txt", bookText());
  EXPECT_TRUE(ui_.shows("book.txt", kTaskCard)) << ui_.screen().all();
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("the river of the", kTaskCard)) << ui_.screen().all(kTaskCard);
  ui_.click("Step", kSentenceHeadsCard);
  EXPECT_TRUE(ui_.shows("step 1 of 1,500", kSentenceHeadsCard));
  EXPECT_FALSE(ui_.shows("Six questions"));
  const ViewState again = viewFromJson(viewToJson(ui_.view()), ViewState());
  EXPECT_EQ(again.train.task, kOwnText);
  EXPECT_EQ(again.train.text, ui_.view().train.text);
  EXPECT_EQ(chosenText(again.train), chosenText(ui_.view().train));
  EXPECT_TRUE(isOffered(pictureViewOf(kTextTokensCard), ui_.view()));
  ui_.press(Key::f11);
  ui_.frame();
  EXPECT_TRUE(ui_.shows("After 1 steps its loss on text that it never saw is"));
}

TEST_F(OwnText, MergesAreThoseLearnedFromTheText) {
  open("book.txt", bookText());
  const auto corpus = formats::textCorpus(folder_ / "book.txt", formats::TextTokens::bpe, 300);
  const std::size_t all = corpus->merges.size();
  ASSERT_GT(all, 20U);
  const std::string finished = fmt::format("{} of {} merges", all, all);
  EXPECT_TRUE(ui_.shows(finished, kTextTokensCard)) << ui_.screen().all(kTextTokensCard);
  const std::size_t last = formats::cutByMerges(*corpus, corpus->example, all).size();
  EXPECT_TRUE(ui_.shows(fmt::format("{} tokens", last), kTextTokensCard));
  EXPECT_TRUE(ui_.shows(withThousands(corpus->merges.back().count), "merges"));
  const ImVec2 play = ui_.at("Play", kTextTokensCard);
  ui_.clickAt({play.x + 60.0F, play.y});  // near the slider's left end
  EXPECT_FALSE(ui_.shows(finished, kTextTokensCard)) << ui_.screen().all(kTextTokensCard);
  const auto shown = [&](std::size_t merges) {
    return ui_.shows(fmt::format("{} of {} merges", merges, all), kTextTokensCard);
  };
  std::size_t merges = 0;
  while (merges < all && !(shown(merges) && !shown(merges + 10))) ++merges;
  const std::size_t tokens = formats::cutByMerges(*corpus, corpus->example, merges).size();
  EXPECT_GT(tokens, last);
  EXPECT_TRUE(ui_.shows(fmt::format("{} tokens", tokens), kTextTokensCard))
      << merges << ui_.screen().all(kTextTokensCard);
  ui_.click("Play", kTextTokensCard);
  ui_.settle();
  EXPECT_TRUE(ui_.shows(finished, kTextTokensCard)) << "it plays to the end";
}

TEST_F(OwnText, AnotherWayOfCuttingBeginsAnotherRun) {
  open("book.txt", bookText());
  ui_.click("Step", kSentenceHeadsCard);
  ui_.click("characters", kTaskCard);
  ui_.settle();
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("Each of the text's most frequent characters is a token", kTextTokensCard));
}

TEST_F(OwnText, AFileThatCannotBeLearnedFromIsExplained) {
  open("short.txt", "too short");
  EXPECT_TRUE(ui_.shows("a model learns from a text of at least 20 KiB", kSentenceHeadsCard))
      << ui_.screen().all();
  open("book.txt", bookText());
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard)) << ui_.screen().all();
}

TEST_F(OwnText, StoriesAreLearnedAgainAfterwards) {
  open("book.txt", bookText());
  ui_.click("Stories: the next word", kTaskCard);
  ui_.settle();
  EXPECT_TRUE(ui_.shows("Six questions", kStoryQuestionsCard)) << ui_.screen().all();
}

}  // namespace
}  // namespace headscope::ui
