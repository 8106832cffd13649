// The train page while a language model learns stories: its run, the user's own sentence, what the
// model writes, its questions, looking back.
#include <fmt/format.h>

#include <string>

#include "../core/test_files.h"
#include "app/live_language.h"
#include "app/ui/export_choice.h"
#include "app/ui/model/born_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/train/language_run_view.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/base/numbers.h"
#include "core/formats/corpora.h"
#include "core/formats/language_run.h"
#include "core/formats/shipped_model.h"
#include "core/language/sentence_reading.h"
#include "core/language/stories.h"
#include "core/language/story_words.h"
#include "core/model/compositions.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

/// A view of stories with a model that takes its steps at once.
ViewState smallStories() {
  ViewState view;
  view.selection.page = kTrainPage;
  view.train.task = kStories;
  view.train.layers = 2;
  view.train.dModel = 8;
  view.train.heads = 2;
  return view;
}

/// A question is muted until it is answered, then it has the colour of the head that looks at the
/// word that decides; a hue is a head's alone.
TEST(QuestionColor, IsThatOfTheHeadThatAnswers) {
  LanguageMoment moment;
  moment.settings.model.layers = 2;
  moment.settings.model.heads = 4;
  moment.step = 50;
  moment.answeredAt.resize(language::kStoryQuestions);
  language::LanguageEvaluation now;
  now.step = 50;
  now.questions.resize(language::kStoryQuestions);
  now.questions[0].head = {1, 2};
  moment.evaluations.push_back(now);
  const Theme& t = theme(ThemeKind::light);
  EXPECT_EQ(questionColor(t, moment, 0), t.textMuted);
  moment.answeredAt[0] = 75;
  EXPECT_EQ(questionColor(t, moment, 0), t.textMuted);
  moment.answeredAt[0] = 50;
  EXPECT_EQ(questionColor(t, moment, 0), headColor(t, 6));
}

class StoriesPage : public testing::Test {
 protected:
  /// Plays the run that comes with the program to its end.
  void playKeptRun() {
    ui_.click("watch a kept run", kTaskCard);
    ui_.settle();
    ui_.frame();
    ui_.click("fast", kSentenceHeadsCard);
    ui_.click("Play", kSentenceHeadsCard);
    for (std::size_t i = 0; i < formats::shippedRun()->moments.size(); ++i) {
      ui_.settle();
      ui_.frame();
    }
  }

  AppDriver ui_{textDocument("The cat slept ."), 1600, 1000, smallStories()};
};

TEST_F(StoriesPage, TakesSingleStepsAndStartsAgain) {
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("Layer 2 · head 2", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("at step 0", kWrittenTextCard));
  ui_.click("Step", kSentenceHeadsCard);
  EXPECT_TRUE(ui_.shows("step 1 of 1,500"));
  EXPECT_TRUE(ui_.shows("at step 1", kWrittenTextCard));
  ui_.press(Key::right);
  ui_.settle();
  EXPECT_TRUE(ui_.shows("step 2 of 1,500"));
  ui_.press(Key::home);
  ui_.settle();
  EXPECT_TRUE(ui_.shows("step 0 of 1,500"));
  ui_.press(Key::enter);
  ui_.frame();
  EXPECT_TRUE(ui_.shows("Pause", kSentenceHeadsCard));
}

/// The kept run plays, is looked back at, and gives way to one that is trained here.
TEST_F(StoriesPage, PlaysTheKeptRun) {
  ui_.click("watch a kept run", kTaskCard);
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(ui_.view().train.kept);
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("Layer 2 · head 6", kSentenceHeadsCard));
  EXPECT_FALSE(ui_.shows("your sentence", kSentenceHeadsCard));
  EXPECT_FALSE(ui_.shows("d_model", kTaskCard));
  ui_.click("Step", kSentenceHeadsCard);
  ui_.settle();
  ui_.frame();
  const auto run = formats::shippedRun();
  const language::KeptMoment& second = run->moments[1];
  EXPECT_TRUE(ui_.shows(fmt::format("step {} of 1,500", second.step()), kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows(fmt::format("at step {}", second.step()), kWrittenTextCard));
  EXPECT_TRUE(ui_.shows(probabilityInWords(second.next.front().probability), kNextWordsCard));
  ui_.click("fast", kSentenceHeadsCard);
  ui_.click("Go on", kSentenceHeadsCard);
  for (std::size_t i = 0; i < run->moments.size(); ++i) {
    ui_.settle();
    ui_.frame();
  }
  EXPECT_TRUE(ui_.shows("step 1,500 of 1,500", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("several heads share it: agree", kStoryQuestionsCard));
  ui_.click("train one here", kTaskCard);
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("your sentence", kSentenceHeadsCard));
}

TEST_F(StoriesPage, ShowsTheHeadsOfTheRunOverItsSteps) {
  playKeptRun();
  ui_.click("Over steps", kSentenceHeadsCard);
  ui_.settle();
  ui_.frame();
  const auto run = formats::shippedRun();
  for (const auto& at : run->answeredAt) {
    EXPECT_TRUE(ui_.shows(fmt::format("step {}", withThousands(*at)), kSentenceHeadsCard)) << *at;
  }
  const double first = run->moments.front().evaluation.heldOutLoss;
  EXPECT_TRUE(ui_.shows(fmt::format("loss {:.2f}", first), kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("box", kSentenceHeadsCard));
  const ImVec2 start = ui_.at("step 0", kSentenceHeadsCard);
  ui_.clickAt({start.x, start.y + 45.0F});
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard)) << "a click goes back there";
}

TEST_F(StoriesPage, ItsPartsAreChosen) {
  ui_.click("Step", kSentenceHeadsCard);
  ui_.settle();
  ui_.click("networks", kTaskCard);
  ui_.settle();
  EXPECT_FALSE(chosenLanguage(ui_.view().train).model.networks);
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard)) << "another model starts again";
  ui_.click("norms", kTaskCard);
  ui_.click("rotary", kTaskCard);
  ui_.settle();
  const language::LanguageModelSettings model = chosenLanguage(ui_.view().train).model;
  EXPECT_FALSE(model.networks || model.norms);
  EXPECT_TRUE(model.rotary);
  const Index parameters = parameterCount(model, std::ssize(language::storyWords()));
  EXPECT_TRUE(ui_.shows(withThousands(parameters) + " parameters")) << ui_.screen().all();
  const ViewState again = viewFromJson(viewToJson(ui_.view()), ViewState());
  EXPECT_EQ(chosenLanguage(again.train), chosenLanguage(ui_.view().train));
}

/// A run that another one replaced is there again when it is asked for.
TEST_F(StoriesPage, ARunThatAnotherReplacesIsKept) {
  ui_.click("Step", kSentenceHeadsCard);
  ui_.settle();
  ui_.click("watch a kept run", kTaskCard);
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
  ui_.click("train one here", kTaskCard);
  ui_.settle();
  ui_.frame();
  EXPECT_TRUE(ui_.shows("step 1 of 1,500", kSentenceHeadsCard));
  ui_.press(Key::home);
  ui_.settle();
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
}

TEST_F(StoriesPage, NextWordsAreThoseOfTheModel) {
  ui_.click("Step", kSentenceHeadsCard);
  const auto corpus = formats::storyCorpus(1, 2'000'000);
  language::LanguageTrainer run(corpus, chosenLanguage(ui_.view().train), kTestBudget);
  ASSERT_TRUE(run.step({}));
  const auto model = run.modelNow();
  model::ModelInput input;
  for (const auto& token : corpus->tokenizer->encode(corpus->example))
    input.ids.push_back(token.id);
  const auto trace =
      runModel(makeModelDocument(model, input), nullptr, ExecutionContext(), kTestBudget);
  for (const auto& next : trace->predictions(trace->tokens() - 1, 3)) {
    EXPECT_TRUE(
        ui_.shows(corpus->tokenizer->inWords(static_cast<std::int32_t>(next.id)), kNextWordsCard));
    EXPECT_TRUE(ui_.shows(probabilityInWords(next.probability), kNextWordsCard));
  }
  EXPECT_TRUE(ui_.shows("after “to”", kNextWordsCard));
}

TEST_F(StoriesPage, TheSentenceIsTheUsersOwn) {
  ui_.clickAt(ui_.after("your sentence", kSentenceHeadsCard));
  ui_.press(Key{'A'}, true);
  ui_.type("Leo saw a zebra and the cake");
  ui_.settle();
  EXPECT_EQ(ui_.view().train.sentence, "Leo saw a zebra and the cake");
  EXPECT_TRUE(ui_.shows("after “cake”", kNextWordsCard));
  EXPECT_TRUE(ui_.shows("no word of the stories: zebra", kSentenceHeadsCard));
  const ViewState again = viewFromJson(viewToJson(ui_.view()), ViewState());
  EXPECT_EQ(again.train.sentence, ui_.view().train.sentence);
  EXPECT_EQ(again.train.task, kStories);
}

TEST_F(StoriesPage, ALongSentenceIsReadFromItsEnd) {
  std::string text = "Mia";
  for (int i = 0; i < 70; ++i) text += " and Leo";
  ui_.view().train.sentence = text + " went home";
  ui_.settle();
  EXPECT_TRUE(ui_.shows("after “home”", kNextWordsCard));
  EXPECT_TRUE(ui_.shows("the first 80 tokens are left out", kSentenceHeadsCard))
      << ui_.screen().all(kSentenceHeadsCard);
}

TEST_F(StoriesPage, ItsQuestionsAreShownWithTheHeadThatLooks) {
  for (const language::StoryQuestion& question : language::storyQuestions()) {
    EXPECT_TRUE(ui_.shows(question.name, kStoryQuestionsCard)) << question.name;
  }
  const language::LanguageSettings settings = chosenLanguage(ui_.view().train);
  language::LanguageTrainer run(formats::storyCorpus(1, 100'000), settings, kTestBudget);
  ASSERT_TRUE(run.evaluate({}));
  for (const language::AnsweredQuestion& answered : run.evaluations().front().questions) {
    EXPECT_TRUE(ui_.shows(fmt::format("{:.0f} %", 100.0 * answered.right), "answers"));
    EXPECT_TRUE(ui_.shows(fmt::format("{:.2f}", answered.look), "answers"));
    EXPECT_TRUE(ui_.shows(shortName(answered.head), "answers"));
  }
}

TEST_F(StoriesPage, ModelsOfOtherSizesStandInATab) {
  ui_.click("Other sizes", kStoryQuestionsCard);
  const auto all = [&] { return ui_.screen().all(kStoryQuestionsCard); };
  EXPECT_TRUE(ui_.shows("1 × 6", kStoryQuestionsCard)) << all();
  EXPECT_TRUE(ui_.shows("“song” is first answered, by the number of layers: 1 never (20 %), 2 at",
                        kStoryQuestionsCard))
      << all();
  EXPECT_TRUE(ui_.shows("missed most, by these heads: 4 %, 1 %, 80 %", kStoryQuestionsCard))
      << all();
  ui_.click("box", kStoryQuestionsCard);
  EXPECT_TRUE(ui_.shows("“box” is first answered", kStoryQuestionsCard)) << "a heading chooses";
  ui_.click("Six questions", kStoryQuestionsCard);
  EXPECT_FALSE(ui_.shows("1 × 6", kStoryQuestionsCard)) << all();
}

TEST_F(StoriesPage, ItsHeadsAreLookedForInAModel) {
  ui_.click("In other models", kStoryQuestionsCard);
  EXPECT_TRUE(ui_.shows("no head here looks at the subject: 0.", kStoryQuestionsCard));
  EXPECT_FALSE(ui_.shows("look for it in a model", kStoryQuestionsCard));
  playKeptRun();
  EXPECT_TRUE(ui_.shows("looks at the subject with", kStoryQuestionsCard));
  ui_.clickAt(ui_.at("look for it in a model", kStoryQuestionsCard));
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_EQ(ui_.view().model.prediction.sweepTexts, "template:box");
  EXPECT_EQ(ui_.view().model.prediction.sweepShown, kLooksEffect);
  const std::shared_ptr<const BornModel> born = ui_.view().model.prediction.born;
  EXPECT_EQ(
      born->looking,
      "head 1·1 of your run at step 1,500 looks at the thing that was put there with 0.97, in "
      "200 sentences of stories");
  // what the kept run ended in is the model that ships
  const language::KeptRun& kept = *formats::shippedRun();
  const auto next = language::readSentence(born->model, *formats::storyCorpus(1, 20'000),
                                           kept.sentence, 64, kTestBudget, {});
  EXPECT_EQ(next->next.front().id, kept.moments.back().next.front().id);
  EXPECT_NEAR(next->next.front().probability, kept.moments.back().next.front().probability, 2e-3);
}

/// The heads of a run and of the page's model are measured on the same texts.
TEST_F(StoriesPage, ItsHeadsStandNextToThoseOfAModel) {
  ui_.click("In other models", kStoryQuestionsCard);
  playKeptRun();
  ui_.clickAt(ui_.at("look for it in a model", kStoryQuestionsCard));
  EXPECT_EQ(ui_.view().model.place.folder, formats::kStoriesModel) << "none was open";
  const auto named = [&] {
    return ui_.shows("your run at step 1,500: layer", kModelPredictionCard);
  };
  for (int i = 0; i < 20 && !named(); ++i) {
    ui_.settle();
    ui_.frame();
  }
  // the run ended in the very model that is open, so that both say the same
  const std::string all = ui_.screen().all(kModelPredictionCard);
  EXPECT_TRUE(named()) << all;
  EXPECT_TRUE(
      ui_.shows("headscope stories: layer 1, head 1 looks most: 1.00", kModelPredictionCard))
      << all;
  EXPECT_TRUE(
      ui_.shows("your run at step 1,500: layer 1, head 1 looks most: 1.00", kModelPredictionCard))
      << all;
  EXPECT_FALSE(ui_.shows("estimate", kModelPredictionCard)) << "the maps leave no room for a table";
  ui_.click("end the comparison", kModelPredictionCard);
  EXPECT_FALSE(named());
  EXPECT_TRUE(ui_.shows("estimate", kModelPredictionCard));
}

TEST_F(StoriesPage, TheHeadsThatSingAreShownInAModel) {
  ui_.click("In other models", kStoryQuestionsCard);
  ui_.click("the heads that sing", kStoryQuestionsCard);
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_EQ(ui_.view().model.heads.lines, model::Composition::key);
  for (int i = 0; i < 4; ++i) {
    ui_.settle();
    ui_.frame();
  }
  EXPECT_TRUE(ui_.shows("do", kModelTextCard));
  EXPECT_TRUE(ui_.shows("K-composition", kModelHeadsCard));
}

TEST_F(StoriesPage, AnotherTaskKeepsTheRunThatOneReturnsTo) {
  ui_.click("Step", kSentenceHeadsCard);
  ui_.click("Pointer", kTaskCard);
  EXPECT_FALSE(ui_.shows("your sentence"));
  EXPECT_TRUE(ui_.shows("All heads", kLiveHeadsCard));
  ui_.click("Stories: the next word", kTaskCard);
  EXPECT_TRUE(ui_.shows("step 1 of 1,500", kSentenceHeadsCard));
  EXPECT_EQ(ui_.view().train.dModel, 8);
  ui_.click("try another", kTaskCard);
  EXPECT_TRUE(ui_.shows("step 0 of 1,500", kSentenceHeadsCard));
  EXPECT_TRUE(ui_.shows("seed 2", kTaskCard));
}

TEST_F(StoriesPage, AModelThatCannotBeIsRefusedInWords) {
  ui_.view().train.heads = 3;
  ui_.settle();
  EXPECT_TRUE(ui_.shows("d_model 8 does not divide into 3 heads")) << ui_.screen().all();
  EXPECT_TRUE(ui_.shows("Layer 2 · head 2", kSentenceHeadsCard)) << "the run is kept";
  EXPECT_FALSE(ui_.shows("Layer 2 · head 3"));
}

TEST_F(StoriesPage, APresenterShowsTheCardsOfTheRun) {
  ui_.press(Key::f11);
  ui_.frame();
  EXPECT_TRUE(ui_.shows("layers × heads on your sentence"));
  EXPECT_TRUE(ui_.shows("After 0 steps none of 6 questions are answered."));
  for (const char* text : {"Next word", "It writes", "nats per token", "answered right", "it reads",
                           "layers × heads on your sentence"}) {
    ui_.press(Key::tab);
    ui_.frame();
    EXPECT_TRUE(ui_.shows(text)) << text << ": " << ui_.screen().all();
    EXPECT_FALSE(ui_.window("top bar"));
  }
}

TEST(StoriesExport, PicturesAreThoseOfTheRun) {
  ViewState view = smallStories();
  EXPECT_TRUE(isOffered(pictureViewOf(kStoryQuestionsCard), view));
  EXPECT_FALSE(isOffered(pictureViewOf(kCurvesCard), view));
  view.train.task = "cards";
  EXPECT_FALSE(isOffered(pictureViewOf(kStoryQuestionsCard), view));
  EXPECT_TRUE(isOffered(pictureViewOf(kCurvesCard), view));
}

TEST(StoriesModel, OpensOnThePageModelWithItsSentence) {
  const TempFolder folder;
  AppDriver ui;
  ui.restartKeeping(folder.path(), textDocument("The cat slept ."));
  ui.view() = smallStories();
  ui.view().train.sentence = "Tom saw the";
  ui.settle();
  ui.click("Step", kSentenceHeadsCard);
  ui.click("open this model", kSentenceHeadsCard);
  ui.settle();
  EXPECT_EQ(ui.view().selection.page, kModelPage);
  EXPECT_TRUE(ui.view().model.place.folder.ends_with("stories-2-layers-2-heads-seed-1-step-1"));
  EXPECT_TRUE(ui.shows("Tom saw the", "model text")) << ui.screen().all("model text");
  EXPECT_TRUE(std::filesystem::exists(folder / "models"));
  // it is opened once, and not again when one returns
  ui.view().selection.page = kTrainPage;
  ui.settle();
  EXPECT_EQ(ui.view().selection.page, kTrainPage);
}

}  // namespace
}  // namespace headscope::ui
