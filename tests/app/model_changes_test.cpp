// Changes made on the page Model: heads switched off are marked, listed and switched on again one
// by one, all at once, and by undo; so are layers that were edited in Flow.
#include <filesystem>
#include <string>

#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/editing/edit.h"

namespace headscope::ui {
namespace {

class ModelChanges : public testing::Test {
 protected:
  ModelChanges() {
    ui.app().dropFiles({std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2"});
    calm();
    before = words();
  }
  void calm() {
    for (int i = 0; i < 3; ++i) {
      ui.settle();
      ui.frame();
    }
  }
  void page(const char* id) {
    ui.view().selection.page = id;
    calm();
  }
  /// The text of the model's predictions.
  std::string words() { return ui.screen().all(kModelTextCard); }
  bool shows(const char* text) { return ui.shows(text, kModelHeadsCard); }
  std::string all() { return ui.screen().all(kModelHeadsCard); }
  /// Returns whether "off" is written over the picture of a head.
  bool marked(std::size_t head) {
    const gl::Bounds picture = ui.heatmaps(kModelHeadsCard).at(head);
    const ScreenText screen = ui.screen();
    for (const TextRun& run : screen.runs()) {
      const ImVec2 at = run.spot(0, run.text.size()).centre();
      if (run.text == "off" && at.x > picture.x0 && at.x < picture.x1 && at.y > picture.y0 &&
          at.y < picture.y1) {
        return true;
      }
    }
    return false;
  }
  float gainInFlow(Index head) { return ui.config().gain(head); }

  AppDriver ui;
  std::string before;
};

TEST_F(ModelChanges, AHeadThatIsOffIsMarkedAndListed) {
  EXPECT_FALSE(marked(0));
  ui.click("layer 1, head 1 off", kModelHeadsCard);
  calm();
  EXPECT_TRUE(marked(0)) << all();
  EXPECT_FALSE(marked(1));
  EXPECT_TRUE(shows("layer 1*")) << all();
  EXPECT_TRUE(shows("off: 1·1")) << all();
  ui.pick("a measure", "Previous token", kModelHeadsCard);
  EXPECT_TRUE(shows("off: 1·1")) << all();
}

TEST_F(ModelChanges, UndoAndRedoSwitchIt) {
  ui.click("layer 1, head 1 off", kModelHeadsCard);
  calm();
  const std::string off = words();
  EXPECT_NE(off, before);
  ui.press(Key{'Z'}, true);
  calm();
  EXPECT_EQ(words(), before);
  EXPECT_FALSE(marked(0));
  EXPECT_FALSE(shows("off: 1·1"));
  ui.press(Key{'Z'}, true, true);
  calm();
  EXPECT_EQ(words(), off);
  EXPECT_TRUE(shows("off: 1·1"));
  ui.click("↶", "top bar");
  calm();
  EXPECT_EQ(words(), before);
}

TEST_F(ModelChanges, UndoGoesBackOneByOneAndLeavesFlowAlone) {
  ui.app().apply(SetSwitch{&Switches::temperature, 2.0});  // Flow's own layer, not the model's
  ui.click("layer 1, head 1 off", kModelHeadsCard);
  ui.view().model.layer = 1;
  ui.frame();
  ui.click("layer 2, head 1 off", kModelHeadsCard);
  calm();
  EXPECT_TRUE(shows("off: 1·1, 2·1")) << all();
  ui.press(Key{'Z'}, true);
  calm();
  EXPECT_TRUE(shows("off: 1·1")) << all();
  EXPECT_FALSE(shows("2·1,")) << all();
  ui.press(Key{'Z'}, true);
  ui.press(Key{'Z'}, true);
  calm();
  EXPECT_EQ(words(), before);
  EXPECT_EQ(ui.config().switches->temperature, 2.0);
}

TEST_F(ModelChanges, TheListSwitchesOnOneOrAll) {
  ui.click("layer 1, head 1 off", kModelHeadsCard);
  ui.view().model.head = 2;
  ui.frame();
  ui.click("layer 1, head 3 off", kModelHeadsCard);
  calm();
  ui.click("off: 1·1, 1·3", kModelHeadsCard);
  ui.click("layer 1, head 3: switch on", "Combo");
  calm();
  EXPECT_TRUE(shows("off: 1·1")) << all();
  EXPECT_FALSE(shows("1·3")) << all();
  ui.click("all on", kModelHeadsCard);
  calm();
  EXPECT_EQ(words(), before);
  EXPECT_FALSE(shows("all on")) << all();
  ui.press(Key{'Z'}, true);
  calm();
  EXPECT_TRUE(shows("off: 1·1")) << all();
}

TEST_F(ModelChanges, AnEditedLayerIsListedAndSetBackAlsoInFlow) {
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  calm();
  ui.app().apply(SetSwitch{&Switches::temperature, 4.0});
  calm();
  page(kModelPage);
  EXPECT_TRUE(shows("edited: layer 1")) << all();
  ui.click("edited: layer 1", kModelHeadsCard);
  ui.click("layer 1: undo all changes", "Combo");
  calm();
  EXPECT_EQ(words(), before);
  EXPECT_EQ(ui.config().switches->temperature, 1.0) << "Flow shows what the model has";
  EXPECT_FALSE(shows("edited:")) << all();
  ui.press(Key{'Z'}, true);
  calm();
  EXPECT_TRUE(shows("edited: layer 1")) << all();
  EXPECT_EQ(ui.config().switches->temperature, 4.0);
  ui.click("as loaded", kModelTextCard);
  calm();
  EXPECT_EQ(words(), before);
  EXPECT_EQ(ui.config().switches->temperature, 1.0);
}

/// The switch must survive the next edit of the layer in Flow.
TEST_F(ModelChanges, AHeadOfTheLayerInFlowIsOffThereToo) {
  ui.click("open layer 1 in Flow", kModelHeadsCard);
  calm();
  page(kModelPage);
  ui.click("layer 1, head 1 off", kModelHeadsCard);
  calm();
  EXPECT_EQ(gainInFlow(0), 0.0F);
  EXPECT_TRUE(shows("off: 1·1")) << all();
  EXPECT_FALSE(shows("edited:")) << all();
  ui.app().apply(SetSwitch{&Switches::temperature, 2.0});
  calm();
  EXPECT_TRUE(shows("off: 1·1; edited: layer 1")) << all();
  ui.press(Key{'Z'}, true);
  calm();
  EXPECT_EQ(gainInFlow(0), 1.0F);
  EXPECT_EQ(ui.config().switches->temperature, 2.0);
  EXPECT_TRUE(shows("edited: layer 1")) << all();
}

}  // namespace
}  // namespace headscope::ui
