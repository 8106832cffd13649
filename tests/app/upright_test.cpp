// Where there is room for one card: a phone held upright shows them one at a time, and somebody's
// page shows one alone.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/ui/window_layout.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

TEST(Upright, IsAPhoneAndNotASmallWindow) {
  EXPECT_TRUE(isUpright({390, 844}, 1.0F));
  EXPECT_TRUE(isUpright({1170, 2532}, 3.0F));
  EXPECT_FALSE(isUpright({844, 390}, 1.0F));
  EXPECT_FALSE(isUpright({1280, 720}, 3.0F));
  EXPECT_FALSE(isUpright({1080, 1920}, 1.0F));
}

TEST(Upright, ShowsTheCardWhoseTitleIsClicked) {
  AppDriver ui(presetDocument("original-transformer"), 390, 844);
  EXPECT_TRUE(ui.window("/flow_").has_value());
  EXPECT_FALSE(ui.window("/stage_").has_value());
  ui.click("Steps", "body");
  EXPECT_FALSE(ui.window("/flow_").has_value());
  const auto steps = ui.window("/steps_");
  ASSERT_TRUE(steps.has_value());
  EXPECT_GT(steps->x1 - steps->x0, 360.0F);
  EXPECT_LE(steps->x1, 390.0F);
  ui.click("Softmax", "steps");
  EXPECT_EQ(ui.view().selection.step, StepId::softmax);
}

TEST(Upright, OpensOnTheGuideAndShowsALessonBelowItsCard) {
  const auto folder = std::filesystem::temp_directory_path() / "headscope-upright-test";
  std::filesystem::remove_all(folder);
  AppDriver ui(presetDocument("original-transformer"), 390, 844);
  ui.restartKeeping(folder, presetDocument("original-transformer"));
  EXPECT_TRUE(ui.shows("Where to begin", "start"));
  ui.click("Watch a word travel", "start");
  EXPECT_TRUE(ui.window("/sentence_").has_value());
  EXPECT_TRUE(ui.view().frame.stagePlaying);
  ui.press(Key::escape);
  ui.view().selection.page = kFlowPage;
  ui.settle();
  ui.click("Where to begin", "body");
  ui.click("By hand", "start");
  const auto lesson = ui.window("/lesson_");
  ASSERT_TRUE(lesson.has_value());
  EXPECT_GT(lesson->y0, 400.0F);
  EXPECT_LE(lesson->y1, 844.0F);
  EXPECT_FALSE(ui.window("/start_").has_value());
  std::filesystem::remove_all(folder);
}

/// The line of places stays below the sentence and below the heads, and names the present place.
TEST(Upright, TheWayOfTheWordStaysAtTheFootOfTheStage) {
  AppDriver ui(presetDocument("original-transformer"), 390, 844);
  ui.view().selection.page = kStagePage;
  ui.settle();
  for (const char* card : {"Heads", "Sentence"}) {
    ui.click(card, "body");
    const auto shown = ui.window(card == std::string("Heads") ? "/small stages_" : "/sentence_");
    const auto journey = ui.window("/journey_");
    ASSERT_TRUE(shown.has_value() && journey.has_value()) << card;
    EXPECT_GE(journey->y0, shown->y1) << card;
    EXPECT_LE(journey->y1, 844.0F) << card;
  }
  EXPECT_TRUE(ui.shows("shares", "journey")) << ui.screen().all("journey");
  EXPECT_FALSE(ui.shows("scores", "journey")) << ui.screen().all("journey");
}

/// The switches above the heads wrap within their card at any width.
TEST(Upright, TheSwitchesOfTheHeadsStayInTheirCard) {
  for (int width = 340; width <= 460; width += 10) {
    AppDriver ui(presetDocument("original-transformer"), width, 900);
    ui.view().selection.page = kHeadsPage;
    ui.settle();
    const auto card = ui.window("/all heads_");
    ASSERT_TRUE(card.has_value());
    for (const char* text : {"mean", "compare", "to Flow", "each its own"}) {
      const auto found = ui.screen().find(text, "all heads");
      ASSERT_TRUE(found.has_value()) << text << " at " << width;
      EXPECT_LE(found->max.x + 16.0F, card->x1) << text << " at " << width;
    }
  }
}

TEST(Embedded, ShowsTheCardThatIsPresentedAndNothingElse) {
  AppDriver ui;
  const auto embed = [&](const char* page, const char* presented) {
    ui.restartWith(presetDocument("original-transformer"), [&](AppOptions& o) {
      o.embedded = true;
      o.view.selection.page = page;
      o.view.selection.presented = presented;
    });
    EXPECT_FALSE(ui.shows("d_model", "top bar"));
    EXPECT_FALSE(ui.shows("parameters"));
  };
  embed(kFlowPage, "");
  EXPECT_TRUE(ui.shows("Step 3"));
  EXPECT_FALSE(ui.shows("Inspector"));
  embed(kHeadsPage, "");
  EXPECT_TRUE(ui.shows("All heads"));
  embed(kFlowPage, kToolsCard);
  EXPECT_TRUE(ui.shows("Dimension flow"));
  EXPECT_FALSE(ui.shows("Step 3"));
}

}  // namespace
}  // namespace headscope::ui
