// The top bar: dimensions typed and stepped, what cannot be, switches, presets, undo, looks.
#include <algorithm>

#include "app/ui/color_maps.h"
#include "app/ui/theme.h"
#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

TEST(TopBar, DimensionsAreTyped) {
  AppDriver ui;
  ui.typeInto("heads", "16");
  EXPECT_EQ(ui.trace().config().numHeads, 16);
  EXPECT_TRUE(ui.shows("dk = 512 / 16 = 32", "top bar"));
  ui.typeInto("d_model", "768");
  EXPECT_EQ(ui.trace().config().dModel, 768);
  ui.typeInto("tokens", "9");
  EXPECT_EQ(ui.trace().config().seqLen, 9);
  EXPECT_EQ(ui.document().input->tokens[0][6], "The");  // the text again from its start
  ui.press(Key::enter);
  EXPECT_EQ(ui.undoAll(), 3);
  EXPECT_EQ(ui.trace().config(), presetDocument("original-transformer")->config);
}

TEST(TopBar, DimensionsAreStepped) {
  AppDriver ui;
  ui.clickArrow("heads", "heads", true);
  EXPECT_EQ(ui.config().numHeads, 16);
  ui.clickArrow("heads", "heads", false);
  ui.clickArrow("heads", "heads", false);
  EXPECT_EQ(ui.config().numHeads, 4);
  ui.clickArrow("d_model", "d_model", true);
  EXPECT_EQ(ui.config().dModel, 512 + 4 * 8);  // d_k from 128 to 136
  ui.clickArrow("tokens", "tokens", false);
  EXPECT_EQ(ui.trace().config().seqLen, 5);
  ui.clickArrow("tokens", "tokens", true);
  ui.clickArrow("tokens", "tokens", true);
  EXPECT_EQ(ui.trace().config().seqLen, 7);
  EXPECT_EQ(ui.undoAll(), 7);  // every step is an entry of its own
}

/// A d_k given by itself stays, and nothing has to divide.
TEST(TopBar, DimensionsNextToAHeadWidthOfItsOwn) {
  AppDriver ui(apply(*textDocument("The cat sat", 64, 4), SetDimensions{64, 4, 4, 20}, kTestBudget)
                   .document);
  EXPECT_TRUE(ui.shows("dk = 20", "top bar"));
  ui.typeInto("heads", "7");
  ui.press(Key::enter);
  EXPECT_EQ(ui.config().numHeads, 7);
  EXPECT_FALSE(ui.window("problem"));
  ui.clickArrow("heads", "heads", false);
  EXPECT_EQ(ui.config().numHeads, 6);
  ui.clickArrow("d_model", "d_model", true);
  EXPECT_EQ(ui.config().dModel, 72);
  EXPECT_EQ(ui.config().headDim, 20);
  EXPECT_EQ(ui.trace().tensor(TensorId::concat).shape().back(), 120);
  ui.typeInto("heads", "4000");
  EXPECT_TRUE(ui.shows("4000 heads of 20 coordinates are 80000 together", "problem"));
  EXPECT_EQ(ui.config().dK(), 20);
}

TEST(TopBar, TheArrowKeysStepTheFieldThatHasTheKeyboard) {
  AppDriver ui;
  ui.clickAt(ui.after("heads", "top bar"));
  ui.press(Key::up);
  EXPECT_EQ(ui.config().numHeads, 16);
  ui.press(Key::down);
  EXPECT_EQ(ui.config().numHeads, 8);
  EXPECT_EQ(ui.view().selection.step, StepId::score);
}

TEST(TopBar, StepsStopAtTheSmallest) {
  AppDriver ui(textDocument("Cat", 1, 1));
  ui.clickArrow("heads", "heads", false);
  ui.clickArrow("d_model", "d_model", false);
  EXPECT_EQ(ui.config().dModel, 1);
  EXPECT_EQ(ui.config().numHeads, 1);
  ui.clickArrow("tokens", "tokens", false);
  EXPECT_EQ(ui.config().seqLen, 1);
  EXPECT_TRUE(ui.shows("tokens is 0: it must be at least 1"));
  ui.clickArrow("d_model", "d_model", true);
  EXPECT_EQ(ui.config().dModel, 2);
}

class HeadsThatDoNotDivide : public testing::Test {
 protected:
  void SetUp() override {
    ui_.typeInto("heads", "7");
    ASSERT_EQ(ui_.app().document(), document_);
  }
  AppDriver ui_;
  DocumentPtr document_ = ui_.app().document();
  TracePtr trace_ = ui_.app().trace();
};

TEST_F(HeadsThatDoNotDivide, TurnRedAndSayWhy) {
  EXPECT_EQ(ui_.app().trace(), trace_);
  ASSERT_TRUE(ui_.window("problem"));
  EXPECT_TRUE(ui_.shows("d_model 512 does not divide into 7 heads", "problem"));
  EXPECT_EQ(ui_.screen().findAfter("heads", "top bar")->color, theme(ThemeKind::light).bad);
  EXPECT_TRUE(ui_.shows("512 / 7 = 73.14", "top bar"));
  EXPECT_EQ(ui_.screen().find("512/7=73.14", "top bar")->color, theme(ThemeKind::light).bad);
  EXPECT_TRUE(ui_.screen().find("Head 8", "strip"));  // the last valid picture
  EXPECT_FALSE(ui_.screen().find("Head 7,", "stage"));
}

TEST_F(HeadsThatDoNotDivide, CanBecomeTheNearestThatDo) {
  ui_.click("use 4 heads", "problem");
  EXPECT_EQ(ui_.trace().config().numHeads, 4);
  EXPECT_FALSE(ui_.window("problem"));
  EXPECT_NE(ui_.screen().findAfter("heads", "top bar")->color, theme(ThemeKind::light).bad);
}

TEST_F(HeadsThatDoNotDivide, GoBackToWhatTheyWere) {
  ui_.click("back to the previous value", "problem");
  EXPECT_FALSE(ui_.window("problem"));
  EXPECT_EQ(ui_.app().document(), document_);
  EXPECT_TRUE(ui_.shows("heads8", "top bar"));
  EXPECT_TRUE(ui_.shows("512 / 8 = 64", "top bar"));
}

TEST_F(HeadsThatDoNotDivide, AreGoodWithADModelThatFits) {
  ui_.typeInto("d_model", "700");
  EXPECT_EQ(ui_.trace().config().dModel, 700);
  EXPECT_EQ(ui_.trace().config().numHeads, 7);
  EXPECT_FALSE(ui_.window("problem"));
}

TEST_F(HeadsThatDoNotDivide, AreForgottenWhereTheDocumentGetsOtherSizes) {
  ui_.click("how well each query");  // the field loses the keyboard
  EXPECT_TRUE(ui_.window("problem"));
  ui_.app().apply(Open{presetDocument("bert-base"), "bert"});
  ui_.settle();
  EXPECT_FALSE(ui_.window("problem"));
  EXPECT_TRUE(ui_.shows("heads12", "top bar")) << ui_.screen().all("top bar");
}

TEST_F(HeadsThatDoNotDivide, GoBackByEscape) {
  ui_.press(Key::escape);
  ui_.frame();
  EXPECT_FALSE(ui_.window("problem"));
  EXPECT_TRUE(ui_.shows("heads8", "top bar"));
}

TEST(Dimensions, AWidthThatDoesNotDivideStaysAndIsRedItself) {
  AppDriver ui;
  ui.typeInto("d_model", "500");
  ASSERT_TRUE(ui.window("problem"));
  EXPECT_TRUE(ui.shows("d_model500", "top bar")) << ui.screen().all("top bar");
  const ImU32 bad = theme(ThemeKind::light).bad;
  EXPECT_EQ(ui.screen().findAfter("d_model", "top bar")->color, bad);
  EXPECT_NE(ui.screen().findAfter("heads", "top bar")->color, bad);
  ui.typeInto("heads", "7");
  EXPECT_TRUE(ui.shows("d_model500", "top bar"));
  EXPECT_TRUE(ui.shows("heads7", "top bar"));
  EXPECT_EQ(ui.screen().findAfter("heads", "top bar")->color, bad);
}

TEST_F(HeadsThatDoNotDivide, BecomeAnotherNumberAsTheyAreTyped) {
  ui_.press(Key::backspace);
  EXPECT_TRUE(ui_.shows("is not a whole number", "problem"));
  ui_.type("32");
  EXPECT_EQ(ui_.trace().config().numHeads, 32);
  EXPECT_FALSE(ui_.window("problem"));
}

TEST(TopBar, ANumberIsTakenWhenItIsComplete) {
  AppDriver ui;
  ui.clickAt(ui.after("heads", "top bar"));
  ui.press(Key{'A'}, true);
  ui.host().type(ui.app(), "1");
  ui.host().frames(ui.app(), 3);
  EXPECT_EQ(ui.config().numHeads, 8);  // more digits may follow
  ui.host().type(ui.app(), "6");
  ui.host().frames(ui.app(), 3);
  EXPECT_EQ(ui.config().numHeads, 8);
  ui.settle();  // the pause
  EXPECT_EQ(ui.config().numHeads, 16);
  EXPECT_EQ(ui.undoAll(), 1);
}

TEST(TopBar, HeadsThatDoNotDivideAreOfferedAWidth) {
  AppDriver ui;
  ui.typeInto("heads", "12");
  EXPECT_TRUE(ui.shows("use 16 heads", "problem"));
  ui.click("use d_model 768", "problem");
  EXPECT_EQ(ui.config().numHeads, 12);
  EXPECT_EQ(ui.config().dModel, 768);
  EXPECT_EQ(ui.config().dK(), 64);
}

TEST(TopBar, WhatIsNoNumberOrAbsurdIsRefused) {
  AppDriver ui;
  const DocumentPtr before = ui.app().document();
  const auto refuses = [&](const char* field, const char* typed, const char* message) {
    ui.typeInto(field, typed);
    EXPECT_EQ(ui.app().document(), before) << typed;
    EXPECT_TRUE(ui.shows(message, "problem")) << typed << ": " << ui.screen().all("problem");
    ui.click("back to the previous value", "problem");
  };
  refuses("heads", "0", "heads is 0: it must be at least 1");
  refuses("heads", "-4", "heads is -4: it must be at least 1");
  refuses("heads", "eight", "'eight' is not a whole number");
  refuses("d_model", "1000000000", "d_model is 1000000000: the maximum is 65536");
  refuses("d_model", "99999999999999999999", "is not a whole number");
  refuses("tokens", "0", "tokens is 0: it must be at least 1");
  refuses("tokens", "2.5", "'2.5' is not a whole number");
}

TEST(TopBar, WhatDoesNotFitTheMemoryIsRefusedWithTheFigure) {
  AppDriver ui;
  const TracePtr before = ui.app().trace();
  ui.typeInto("d_model", "65536");
  EXPECT_LT(ui.config().dModel, 65536);
  EXPECT_TRUE(ui.shows("more than the memory budget of 2.15 GB")) << ui.app().message();
  EXPECT_TRUE(ui.shows("this size needs"));
}

TEST(TopBar, SwitchesBiasCausalAndScale) {
  AppDriver ui;
  ui.click("bias", "top bar");
  EXPECT_FALSE(ui.trace().config().switches->bias);
  ui.click("causal", "top bar");
  EXPECT_TRUE(ui.trace().config().mask.causal);
  EXPECT_EQ(ui.trace().value({TensorId::weights, 0, 0, 0, 1}), 0.0F);
  ui.click("÷√dk", "top bar");
  EXPECT_FALSE(ui.trace().config().switches->scale);
  EXPECT_EQ(ui.trace().value({TensorId::scores, 0, 0, 2, 1}),
            ui.trace().value({TensorId::rawScores, 0, 0, 2, 1}));
  ui.click("causal", "top bar");
  EXPECT_FALSE(ui.trace().config().mask.causal);
  EXPECT_EQ(ui.undoAll(), 4);
}

TEST(TopBar, RecomputesOnlyWhatChangedAndSaysSo) {
  AppDriver ui;
  EXPECT_TRUE(ui.shows("recomputed 9 of 9 steps"));
  ui.click("causal", "top bar");
  EXPECT_TRUE(ui.shows("recomputed 5 of 9 steps")) << ui.screen().all();
  EXPECT_TRUE(ui.shows("1,050,624 parameters"));
}

TEST(TopBar, OpensEveryPreset) {
  AppDriver ui;
  ui.view().preferences.learnHeads =
      false;  // LearnedHeads has that; here it would take most of a minute
  for (const Preset& preset : presets()) {
    const auto combo = ui.screen().findAfter("Learn", "top bar");
    ASSERT_TRUE(combo);
    ui.clickAt(combo->centre());
    ASSERT_TRUE(ui.window("Combo"));
    ui.click(preset.title, "Combo");
    EXPECT_EQ(ui.document().preset, preset.name);
    EXPECT_EQ(ui.trace().config().dModel, preset.config.dModel) << preset.name;
    EXPECT_EQ(ui.trace().config().numHeads, preset.config.numHeads);
    EXPECT_EQ(ui.trace().documentPtr(), ui.app().document());
    const std::string firstWord = preset.brief.substr(0, preset.brief.find(' '));
    EXPECT_TRUE(ui.shows(firstWord, "top bar"));
  }
}

TEST(TopBar, EscapeClosesTheInnermostList) {
  AppDriver ui;
  ui.clickAt(ui.screen().findAfter("Learn", "top bar")->centre());
  ASSERT_TRUE(ui.window("Combo"));
  ui.press(Key::escape);
  EXPECT_FALSE(ui.window("Combo"));
  ui.click("More", "top bar");
  ui.click("own coordinates");
  ASSERT_TRUE(ui.window("Combo"));
  ui.press(Key::escape);
  EXPECT_FALSE(ui.window("Combo"));
  EXPECT_TRUE(ui.shows("own coordinates"));
  ui.press(Key::escape);
  EXPECT_FALSE(ui.shows("own coordinates"));
}

TEST(TopBar, UndoesAndRedoesByButtonAndByKey) {
  AppDriver ui;
  const TracePtr before = ui.app().trace();
  ui.click("bias", "top bar");
  ui.click("↶", "top bar");
  EXPECT_TRUE(ui.config().switches->bias);
  EXPECT_TRUE(ui.shows("undone: bias off"));
  EXPECT_TRUE(sameValues(ui.trace(), *before, TensorId::output));
  ui.click("↷", "top bar");
  EXPECT_FALSE(ui.trace().config().switches->bias);
  ui.press(Key{'Z'}, true);
  EXPECT_TRUE(ui.trace().config().switches->bias);
  ui.press(Key{'Z'}, true, true);
  EXPECT_FALSE(ui.trace().config().switches->bias);
  ui.press(Key{'Z'}, true);
  ui.press(Key{'Z'}, true);  // nothing is left to undo
  EXPECT_TRUE(ui.config().switches->bias);
  ui.press(Key{'Y'}, true);
  EXPECT_FALSE(ui.config().switches->bias);
}

TEST(TopBar, OneFieldTypedInTwiceIsTwoEntries) {
  AppDriver ui;
  ui.typeInto("heads", "16");
  ui.press(Key::enter);
  ui.typeInto("heads", "32");
  ui.press(Key::enter);
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(ui.config().numHeads, 16);
}

TEST(View, ChangesThemeMapsAndAnimation) {
  AppDriver ui;
  const ImU32 light = ui.screen().find("Steps", "steps")->color;
  ui.click("View ▾", "top bar");
  ui.click("Dark theme", "Popup");
  EXPECT_EQ(ui.view().preferences.theme, ThemeKind::dark);
  EXPECT_NE(ui.screen().find("Steps", "steps")->color, light);
  EXPECT_EQ(ui.app().background(), theme(ThemeKind::dark).window);
  ui.click("View ▾", "top bar");
  ui.click("Animate changes", "Popup");
  EXPECT_FALSE(ui.view().preferences.animate);
  ui.click("View ▾", "top bar");
  ui.click(ColorMaps::load().pairName(1), "Popup");
  EXPECT_EQ(ui.view().preferences.colorMaps, 1);
}

TEST(View, TheSizeOfTheInterfaceIsDraggedAndTakenOnRelease) {
  AppDriver ui;
  ui.click("View ▾", "top bar");
  const Spot size = *ui.screen().find("interface size 1.00×", "Popup");
  constexpr float kSlider = 150.0F;  // its width, with the knob at its left end
  const ImVec2 shown(size.min.x - kSlider, size.centre().y);
  ui.hover(shown);
  ui.host().button(0, true);
  ui.host().frames(ui.app(), 2);
  ui.hover({shown.x + 60, shown.y});
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, 1.0F);
  ui.host().button(0, false);
  ui.settle();
  EXPECT_GT(ui.view().preferences.scale, 1.5F);
  EXPECT_LT(ui.view().preferences.scale, kMaxScale);
}

TEST(View, GrowsAndShrinksTheInterface) {
  AppDriver ui;
  const auto height = [&] {
    const Spot s = *ui.screen().find("Dimension flow", "flow");
    return s.max.y - s.min.y;
  };
  const float small = height();
  ui.press(Key::equal, true);
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, 1.25F);
  ui.press(Key::keypadAdd, true);
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, 1.5F);
  EXPECT_NEAR(height(), small * 1.5F, 2.0F);
  for (int i = 0; i < 10; ++i) ui.press(Key::equal, true);
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, kMaxScale);
  for (int i = 0; i < 12; ++i) ui.press(Key::minus, true);
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, kMinScale);
  EXPECT_NEAR(height(), small, 0.1F);
  ui.click("A+", "top bar");
  EXPECT_FLOAT_EQ(ui.view().preferences.scale, 1.25F);
}

/// After a refused number, typed characters go into the field and not to the window's keys.
TEST(TopBar, ARefusedNumberKeepsTheField) {
  AppDriver ui;
  ui.typeInto("heads", "7");
  ui.press(Key::enter);
  EXPECT_EQ(ui.config().numHeads, 8);
  ui.settle();
  ui.type("4");
  ui.press(Key::enter);
  EXPECT_EQ(ui.config().numHeads, 4);
}

}  // namespace
}  // namespace headscope::ui
