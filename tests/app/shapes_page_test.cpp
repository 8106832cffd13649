// The page Train with an image model that learns to name shapes: its pictures, its heads and its
// curves, and that a lesson leaves the run as it was.
#include <filesystem>
#include <fstream>
#include <string>

#include "app/ui/learn/lesson_run.h"
#include "app/ui/train/shape_run_view.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/formats/lesson_json.h"

namespace headscope::ui {
namespace {

class ShapesPage : public testing::Test {
 protected:
  ShapesPage() {
    TrainView& view = ui.view().train;
    view.task = kShapes;
    view.layers = 1;
    view.dModel = 8;
    view.heads = 2;
    ui.view().selection.page = kTrainPage;
    calm();
  }
  void calm() {
    for (int i = 0; i < 3; ++i) {
      ui.settle();
      ui.frame();
    }
  }
  bool says(const char* words, const char* card = kShapePicturesCard) {
    return ui.shows(words, card);
  }
  std::string all(const char* card = kShapePicturesCard) { return ui.screen().all(card); }

  AppDriver ui;
};

TEST_F(ShapesPage, ShowsThreePicturesAndTakesAStep) {
  EXPECT_TRUE(says("step 0 of 2,000")) << all();
  EXPECT_TRUE(says("on the shape: ")) << all();
  EXPECT_TRUE(says("1·2: ")) << all() << ": the second head";
  EXPECT_FALSE(says("2·1: ")) << all() << ": there is one layer";
  EXPECT_TRUE(says("named right", kShapeCurvesCard)) << all(kShapeCurvesCard);
  EXPECT_TRUE(says("weight on the shape", kShapeCurvesCard)) << all(kShapeCurvesCard);
  EXPECT_TRUE(says("the name of the shape", kTaskCard)) << all(kTaskCard);
  ui.press(Key::right);
  calm();
  EXPECT_TRUE(says("step 1 of 2,000")) << all();
  ui.click("Reset", kShapePicturesCard);
  calm();
  EXPECT_TRUE(says("step 0 of 2,000")) << all();
}

TEST_F(ShapesPage, OtherPicturesAndHeadsAreChosen) {
  const std::string before = all();
  ui.click("other pictures", kShapePicturesCard);
  calm();
  EXPECT_EQ(ui.view().train.example, 1);
  EXPECT_NE(all(), before) << "other weights on another place";
  ui.press(Key::right);
  calm();
  EXPECT_EQ(viewFromJson(viewToJson(ui.view()), {}).train.task, kShapes);
}

TEST_F(ShapesPage, AnotherTaskPausesItAndItsRunIsThereAgain) {
  ui.press(Key::right);
  calm();
  ui.click("Cards", kTaskCard);
  calm();
  EXPECT_EQ(ui.view().train.task, "cards");
  ui.click("Shapes", kTaskCard);
  calm();
  EXPECT_TRUE(says("step 1 of 2,000")) << all();
  EXPECT_EQ(ui.view().train.heads, 2);
}

TEST_F(ShapesPage, ALessonSetsTheRunAside) {
  ui.press(Key::right);
  calm();
  const std::string before = all();
  const lessons::Lesson& lesson = formats::shippedLessons().front();
  ui.app().dropFiles({std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "assets" / "lessons" /
                      (lesson.id + ".lesson.json")});
  calm();
  ui.view().selection.page = kTrainPage;
  calm();
  EXPECT_FALSE(says("step 1 of 2,000")) << "it is the user's own";
  ui.click("Leave", "lesson");
  calm();
  EXPECT_EQ(all(), before);
}

}  // namespace
}  // namespace headscope::ui
