// Live language: a run on stories in the background, without the page that shows it.
#include "app/live_language.h"

#include <gtest/gtest.h>

#include <memory>

#include "app/scheduler.h"
#include "core/base/error.h"
#include "core/formats/corpora.h"
#include "core/language/sentence_reading.h"
#include "core/language/stories.h"

namespace headscope {
namespace {

class LiveLanguageRun : public testing::Test {
 protected:
  LiveLanguageRun() {
    settings_.model.layers = 1;
    settings_.model.dModel = 8;
    settings_.model.heads = 2;
    settings_.model.context = 64;
    settings_.batch = 2;
    settings_.steps = 40;
    settings_.evaluateEvery = 10;
    live_.begin({}, settings_);
  }

  std::shared_ptr<const LanguageMoment> settled() {
    for (int i = 0; i < 3; ++i) {
      live_.follow(0.0);
      live_.finish();
    }
    live_.follow(0.0);
    return live_.moment();
  }
  void takeSteps(int count) {
    for (int i = 0; i < count; ++i) live_.stepOnce();
  }

  Scheduler scheduler_;
  language::LanguageSettings settings_;
  LiveLanguage live_{scheduler_, Index{1} << 30};
};

TEST_F(LiveLanguageRun, LooksBackAndContinuesFromThere) {
  settled();
  takeSteps(20);
  const auto twentieth = settled();
  ASSERT_EQ(twentieth->stepsTaken, 20);
  EXPECT_EQ(twentieth->written.step, 20);
  live_.lookAt(14);
  const auto tenth = settled();
  EXPECT_EQ(tenth->step, 10);
  EXPECT_EQ(tenth->stepsTaken, 20);
  EXPECT_EQ(tenth->written.step, 10);
  EXPECT_NE(tenth->next.front().logit, twentieth->next.front().logit);
  EXPECT_EQ(tenth->evaluation()->step, 10);
  live_.goBack(10);
  EXPECT_EQ(settled()->stepsTaken, 10);
  takeSteps(10);
  const auto again = settled();
  EXPECT_EQ(again->stepsTaken, 20);
  EXPECT_EQ(again->next.front().logit, twentieth->next.front().logit);
  EXPECT_EQ(again->written.text, twentieth->written.text);
  EXPECT_EQ(again->records.size(), 20U);
}

TEST_F(LiveLanguageRun, RunsToItsEndAndKeepsWhatItWroteOnTheWay) {
  settled();
  live_.play(true);
  for (int i = 0; i < 200 && live_.playing(); ++i) {
    live_.follow(0.0);
    live_.finish();
  }
  const auto end = settled();
  EXPECT_TRUE(end->finished);
  EXPECT_EQ(end->stepsTaken, 40);
  EXPECT_EQ(end->written.step, 40);
  ASSERT_FALSE(end->earlier.empty());
  EXPECT_EQ(end->earlier.front().step, 0);
  EXPECT_EQ(end->evaluations.back().step, 40);
  EXPECT_EQ(end->without.size(), language::kStoryQuestions);
  EXPECT_EQ(end->answeredAt.size(), language::kStoryQuestions);
}

TEST_F(LiveLanguageRun, AnAnswerWithoutItsHeadIsThatOfTheCore) {
  const auto moment = settled();
  ASSERT_EQ(moment->without.size(), language::kStoryQuestions);
  const language::LanguageModel model(settings_.model, moment->corpus->vocabulary, settings_.seed);
  for (std::size_t q = 0; q < moment->without.size(); ++q) {
    const HeadOfLayer head = moment->evaluation()->questions[q].head;
    EXPECT_EQ(moment->without[q], language::answersTo(model, q, {}, head)->right);
  }
}

TEST_F(LiveLanguageRun, WritesAnotherTextOfTheSameStep) {
  const auto first = settled();
  live_.writeAnother();
  const auto second = settled();
  EXPECT_EQ(second->step, first->step);
  EXPECT_NE(second->written.text, first->written.text);
}

TEST_F(LiveLanguageRun, IsSetAsideAndBroughtBack) {
  settled();
  takeSteps(3);
  const auto third = settled();
  live_.setSpeed(5.0);
  live_.setAside();
  EXPECT_EQ(live_.speed(), 0.0) << "a lesson begins with the program's own speed";
  live_.setSpeed(20.0);
  EXPECT_EQ(live_.moment(), nullptr);
  EXPECT_FALSE(live_.isOf({}, settings_));
  live_.begin({}, settings_);
  EXPECT_EQ(settled()->stepsTaken, 0);
  live_.bringBack();
  EXPECT_EQ(live_.moment(), third) << "shown at once";
  EXPECT_EQ(live_.speed(), 5.0);
  live_.stepOnce();
  EXPECT_EQ(settled()->stepsTaken, 4);
}

TEST_F(LiveLanguageRun, RefusesWhatCannotBeAndKeepsTheRun) {
  settled();
  language::LanguageSettings wrong = settings_;
  wrong.model.heads = 3;
  EXPECT_THROW(live_.begin({}, wrong), UserError);
  EXPECT_TRUE(live_.isOf({}, wrong)) << "not to be asked for again and again";
  takeSteps(1);
  EXPECT_EQ(settled()->settings.model.heads, 2);
}

TEST_F(LiveLanguageRun, APictureOfItTrainsNothing) {
  const auto moment = settled();
  LiveLanguage shown(scheduler_, Index{1} << 30, {}, moment);
  EXPECT_TRUE(shown.isOf({}, settings_));
  shown.play(true);
  EXPECT_FALSE(shown.playing());
  shown.follow(1.0);
  EXPECT_EQ(shown.moment(), moment);
}

}  // namespace
}  // namespace headscope
