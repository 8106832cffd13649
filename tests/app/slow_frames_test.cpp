// Frames of a third of a second: every key, wheel notch and click takes effect exactly as often as
// it was given, in the whole program.
#include <imgui_internal.h>

#include "app/ui/top_bar.h"
#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

class SlowFrames : public testing::Test {
 protected:
  SlowFrames() { ui.host().setFrameTime(1.0 / 3); }

  /// Holds a key for this number of frames; with 0, it goes down and up within one frame.
  void hold(Key key, int frames, bool ctrl = false, bool shift = false) {
    ui.host().modifiers(ctrl, shift);
    ui.host().key(key, true);
    ui.host().frames(ui.app(), frames);
    ui.host().key(key, false);
    ui.host().modifiers(false);
  }
  void pressed(Key key, bool ctrl = false, bool shift = false) {
    hold(key, 4, ctrl, shift);
    ui.settle();
  }
  void tapped(Key key, int times, bool ctrl = false, bool shift = false) {
    for (int i = 0; i < times; ++i) hold(key, 0, ctrl, shift);
    ui.settle();
  }
  /// Four states of a document, the last shown.
  std::vector<DocumentPtr> edits() {
    std::vector<DocumentPtr> states{ui.app().document()};
    for (const char* option : {"causal", "bias", "causal"}) {
      ui.click(option, "top bar");
      states.push_back(ui.app().document());
    }
    return states;
  }
  const std::vector<std::string>& tokens() { return ui.document().input->tokens[0]; }

  AppDriver ui;
};

TEST_F(SlowFrames, OneKeyTakesBackOneEdit) {
  const auto states = edits();
  ASSERT_NE(states[3], states[2]);
  pressed(Key{'Z'}, true);
  EXPECT_EQ(ui.app().document(), states[2]);
  tapped(Key{'Z'}, 2, true);
  EXPECT_EQ(ui.app().document(), states[0]);
  pressed(Key{'Y'}, true);
  EXPECT_EQ(ui.app().document(), states[1]);
  pressed(Key{'Z'}, true, true);
  EXPECT_EQ(ui.app().document(), states[2]);
}

TEST_F(SlowFrames, AHeldKeyTakesBackOneEditForEachRepeat) {
  const auto states = edits();
  ui.host().modifiers(true);
  ui.host().key(Key{'Z'}, true);
  ui.host().frames(ui.app(), 4);
  EXPECT_EQ(ui.app().document(), states[2]);
  ui.host().repeatKey(Key{'Z'});
  ui.host().frames(ui.app(), 4);
  EXPECT_EQ(ui.app().document(), states[1]);
  for (int i = 0; i < 9; ++i) ui.host().repeatKey(Key{'Z'});
  ui.host().key(Key{'Z'}, false);
  ui.host().modifiers(false);
  ui.settle();
  EXPECT_EQ(ui.app().document(), states[1]) << "these came while one frame was drawn";
}

TEST_F(SlowFrames, TheInterfaceGrowsAStepForEachKey) {
  ViewState expected = ui.view();
  for (int i = 0; i < 3; ++i) zoomInterface(expected.preferences, 1);
  for (int i = 0; i < 3; ++i) pressed(Key::equal, true);
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, expected.preferences.scale);
  for (int i = 0; i < 2; ++i) zoomInterface(expected.preferences, -1);
  tapped(Key::minus, 2, true);
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, expected.preferences.scale);
}

TEST_F(SlowFrames, ATextFieldTakesEachKeyOnce) {
  pressed(Key{'E'}, true);
  pressed(Key::end);
  ImGui::SetClipboardText(" again");
  pressed(Key{'V'}, true);
  EXPECT_EQ(tokens().size(), 7U);
  tapped(Key{'V'}, 2, true);
  EXPECT_EQ(tokens().size(), 9U);
  EXPECT_EQ(tokens().back(), "again");
  pressed(Key::backspace);
  EXPECT_EQ(tokens().back(), "agai");
  pressed(Key::left);
  pressed(Key::del);
  EXPECT_EQ(tokens().back(), "aga");
  tapped(Key::backspace, 2);
  EXPECT_EQ(tokens().back(), "a");
  pressed(Key{'Z'}, true);
  EXPECT_EQ(tokens().back(), "ag");
  ui.type("e");
  EXPECT_EQ(tokens().back(), "age");
}

TEST_F(SlowFrames, EnterAndWhatIsTypedAtOnceAreInOrder) {
  ui.view().selection.step = StepId::softmax;
  ui.settle();
  const CellRef cell{TensorId::weights, 0, 0, 2, 1};
  ui.view().selection.cell = cell;
  hold(Key::enter, 0);  // opens the field of the cell
  ui.host().text("0.5");
  hold(Key::enter, 0);
  hold(Key::down, 0);
  hold(Key::enter, 0);
  ui.host().text("0.25");
  hold(Key::enter, 0);
  ui.settle();
  CellRef below = cell;
  below.row = 3;
  EXPECT_EQ(ui.document().pins.at(cell), 0.5F);
  EXPECT_EQ(ui.document().pins.at(below), 0.25F);
  tapped(Key{'Z'}, 1, true);
  EXPECT_TRUE(ui.document().pins.at(cell));
  EXPECT_FALSE(ui.document().pins.at(below));
}

TEST_F(SlowFrames, ArrowsMoveACellAtATime) {
  ui.view().selection.step = StepId::softmax;
  ui.view().selection.cell = CellRef{TensorId::weights, 0, 0, 0, 0};
  ui.settle();
  pressed(Key::down);
  EXPECT_EQ(ui.view().selection.cell->row, 1);
  tapped(Key::right, 3);
  EXPECT_EQ(ui.view().selection.cell->col, 3);
  pressed(Key::left);
  EXPECT_EQ(ui.view().selection.cell->col, 2);
}

TEST_F(SlowFrames, TheTimelineGoesAStepForEachKey) {
  ui.view().selection.step = StepId::score;
  ui.settle();
  pressed(Key::right);
  EXPECT_EQ(ui.view().selection.step, StepId::scale);
  tapped(Key::pageDown, 2);
  EXPECT_EQ(ui.view().selection.step, StepId::softmax);
  pressed(Key{'H'});
  EXPECT_EQ(ui.view().selection.head, 1);
  tapped(Key{'H'}, 3);
  EXPECT_EQ(ui.view().selection.head, 4);
}

TEST_F(SlowFrames, ControlsAreWalkedOneByOne) {
  const auto seen = [this](double frameTime) {
    ui.host().setFrameTime(frameTime);
    pressed(Key::f2);
    std::vector<ImGuiID> walked;
    for (int i = 0; i < 4; ++i) {
      pressed(Key::right);
      walked.push_back(ImGui::GetCurrentContext()->NavId);
    }
    pressed(Key::escape);
    return walked;
  };
  const auto fast = seen(1.0 / 60);
  ui.restart(presetDocument("original-transformer"));
  EXPECT_EQ(seen(1.0 / 3), fast);
}

TEST_F(SlowFrames, EveryClickCounts) {
  const bool before = ui.config().switches->bias;
  const ImVec2 bias = ui.at("bias", "top bar");
  const auto clicks = [&](int count) {
    ui.host().moveMouse(bias);
    for (int i = 0; i < count; ++i) {
      ui.host().button(0, true);
      ui.host().button(0, false);
    }
    ui.host().moveMouse({1, 1});  // gone before a frame was drawn
    ui.settle();
  };
  clicks(1);
  EXPECT_NE(ui.config().switches->bias, before);
  clicks(3);
  EXPECT_EQ(ui.config().switches->bias, before);
  EXPECT_EQ(ui.undoAll(), 4);
}

TEST_F(SlowFrames, ADoubleClickOpensAndTwoClicksDoNot) {
  ui.view().selection.page = kHeadsPage;
  ui.settle();
  const ImVec2 tile = middle(ui.heatmaps("all heads").at(4));
  const auto click = [&] {
    ui.host().button(0, true);
    ui.host().button(0, false);
  };
  ui.hover(tile);
  click();
  ui.settle();
  ui.host().advance(2.0);
  click();
  ui.settle();
  EXPECT_EQ(ui.view().selection.page, kHeadsPage);
  EXPECT_EQ(ui.view().selection.head, 4);
  ui.host().advance(2.0);
  click();
  click();
  ui.settle();
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
}

TEST_F(SlowFrames, EveryNotchOfTheWheelCounts) {
  ui.view().selection.step = StepId::softmax;
  ui.settle();
  const CellRef cell{TensorId::weights, 0, 0, 2, 4};
  ui.view().selection.cell = cell;
  ui.settle();
  const float before = ui.trace().value(cell);
  ui.host().moveMouse(cellAt(ui.heatmaps("stage")[1], 6, 6, 2, 4));
  for (int i = 0; i < 3; ++i) ui.host().wheel(1.0F);
  ui.host().moveMouse({1, 1});
  ui.settle();
  ASSERT_TRUE(ui.document().pins.at(cell));
  EXPECT_NEAR(*ui.document().pins.at(cell), before + 0.15F, 0.002F);
}

}  // namespace
}  // namespace headscope::ui
