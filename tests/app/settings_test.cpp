// The settings behind the top bar's "More".
#include <algorithm>
#include <cmath>

#include "app_driver.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

class Settings : public testing::Test {
 protected:
  void SetUp() override {
    ui_.click("More ▾", "top bar");
    ASSERT_TRUE(ui_.shows("Temperature", "Popup"));
  }
  void type(const char* field, const char* text) {
    ui_.typeInto(field, text, "Popup");
    ui_.press(Key::enter);
  }
  /// Types into the field of padding lengths, which may be empty: it is found by the field above.
  void typeLengths(const char* text) {
    ui_.clickAt({ui_.after("Window", "Popup").x, ui_.at("Padding lengths", "Popup").y});
    ui_.press(Key{'A'}, true);
    ui_.type(text);
    ui_.press(Key::enter);
  }
  const AttentionConfig& config() { return ui_.trace().config(); }
  /// Chooses an entry of a list.
  void choose(const char* shown, const char* entry) {
    ui_.click(shown, "Popup");
    ui_.click(entry, "Combo");
  }
  AppDriver ui_;
};

TEST_F(Settings, Temperature) {
  type("Temperature", "2.5");
  EXPECT_DOUBLE_EQ(config().switches->temperature, 2.5);
  EXPECT_FLOAT_EQ(ui_.trace().value({TensorId::scores, 0, 0, 1, 1}),
                  ui_.trace().value({TensorId::rawScores, 0, 0, 1, 1}) / 8.0F / 2.5F);
  type("Temperature", "0");
  type("Temperature", "-1");
  type("Temperature", "nan");
  EXPECT_TRUE(std::isfinite(config().switches->temperature));
  EXPECT_GT(config().switches->temperature, 0.0);
}

TEST_F(Settings, ScoreCap) {
  type("Score cap", "2.5");
  EXPECT_EQ(config().switches->scoreCap, 2.5);
  const float raw = ui_.trace().value({TensorId::rawScores, 0, 0, 1, 1});
  EXPECT_NEAR(ui_.trace().value({TensorId::scores, 0, 0, 1, 1}),
              2.5 * std::tanh(static_cast<double>(raw) / 8.0 / 2.5), 1e-6);
  type("Score cap", "-1");
  EXPECT_TRUE(ui_.shows("score_cap is -1: it must be 0 (no cap) or", "Popup"));
  EXPECT_EQ(config().switches->scoreCap, 2.5);
}

TEST_F(Settings, Window) {
  type("Window", "2");
  EXPECT_EQ(config().mask.window, 2);
  EXPECT_EQ(ui_.trace().value({TensorId::weights, 0, 0, 0, 2}), 0.0F);
  type("Window", "0");
  EXPECT_EQ(config().mask.window, 0);
}

TEST_F(Settings, PaddingLengths) {
  typeLengths("4");
  EXPECT_EQ(config().mask.lengths, (std::vector<Index>{4}));
  EXPECT_EQ(ui_.trace().value({TensorId::weights, 0, 0, 0, 5}), 0.0F);
  typeLengths("9");
  EXPECT_EQ(config().mask.lengths, (std::vector<Index>{4}));
  EXPECT_TRUE(ui_.shows("length 9 is not between 0 and the 6 keys there are"));
  typeLengths("3, 4");
  EXPECT_TRUE(ui_.shows("lengths has 2 values for a batch of 1"));
}

TEST_F(Settings, AFullyMaskedRowIsReportedAndIsNeverNaN) {
  typeLengths("0");
  EXPECT_EQ(ui_.trace().fullyMaskedRows.size(), 8U * 6U);
  EXPECT_EQ(ui_.app().message(), "");
  EXPECT_TRUE(
      ui_.shows("48 rows are fully masked (first: query 0 of head 1): weights 0, output b"));
  ui_.click("bias", "top bar");  // closes the settings
  ui_.click("bias", "top bar");
  ui_.press(Key{'Z'}, true);
  EXPECT_TRUE(ui_.shows("undone: bias off · 48 rows are fully masked"));
  const ImU32 bad = theme(ThemeKind::light).bad;
  EXPECT_NE(ui_.screen().find("undone: bias off")->color, bad);
  ui_.app().dropFiles({"notes.md"});  // only an error is red
  ui_.settle();
  EXPECT_EQ(ui_.screen().find("notes.md: only .csv")->color, bad);
  const auto output = ui_.trace().tensor(TensorId::output).values();
  EXPECT_TRUE(std::all_of(output.begin(), output.end(), [](float v) { return v == 0.0F; }));
  ui_.press(Key::escape);
  for (const Step* step : stepsOf({})) {
    ui_.view().selection.step = step->id();
    ui_.settle();
    std::string shown = ui_.screen().all();
    const std::string torch = "nan_to_num";  // PyTorch's name of what the engine does
    for (auto at = shown.find(torch); at != std::string::npos; at = shown.find(torch)) {
      shown.erase(at, torch.size());
    }
    EXPECT_EQ(shown.find("nan"), std::string::npos) << step->text(ui_.config()).id;
    EXPECT_FALSE(ui_.shows("not a number")) << step->text(ui_.config()).id;
  }
}

TEST_F(Settings, KeyValueHeads) {
  type("Key/value heads", "2");
  EXPECT_EQ(config().numKvHeads, 2);
  EXPECT_EQ(ui_.trace().tensor(TensorId::k).shape(), (Shape{1, 2, 6, 64}));
  type("Key/value heads", "3");
  EXPECT_EQ(config().numKvHeads, 2);
  EXPECT_TRUE(ui_.shows("8 heads cannot share 3 key/value heads evenly"));
}

TEST_F(Settings, HeadWidth) {
  EXPECT_TRUE(ui_.shows("as 512 / 8 = 64", "Popup"));
  const float above = ui_.at("Key/value heads", "Popup").y;
  const float own = ui_.at("Head width", "Popup").y;
  EXPECT_NEAR(ui_.at("Temperature", "Popup").y - own, own - above, 4.0F);  // a row of its own
  type("Head width", "80");
  EXPECT_EQ(config().headDim, 80);
  EXPECT_EQ(ui_.trace().tensor(TensorId::qProj).shape(), (Shape{1, 6, 640}));
  EXPECT_TRUE(ui_.shows("not 512 / 8 = 64", "Popup"));
  EXPECT_TRUE(ui_.shows("dk = 80", "top bar"));
  EXPECT_FALSE(ui_.shows("512 / 8", "top bar"));
  type("Key/value heads", "2");
  EXPECT_EQ(config().dK(), 80);
  type("Head width", "64");  // the division
  EXPECT_EQ(config().headDim, 0);
  EXPECT_TRUE(ui_.shows("512 / 8 = 64", "top bar"));
  type("Head width", "0");
  EXPECT_TRUE(ui_.shows("d_k is 0: give 1 or more"));
  EXPECT_EQ(config().headDim, 0);
  type("Head width", "30");
  EXPECT_EQ(config().headDim, 30);
  ui_.typeInto("Head width", "", "Popup");
  ui_.press(Key::backspace);
  ui_.press(Key::enter);
  EXPECT_EQ(config().headDim, 0);
}

TEST_F(Settings, Batch) {
  type("Batch", "3");
  EXPECT_EQ(config().batch, 3);
  EXPECT_TRUE(ui_.shows("item 1 of 3", "tokens"));
  type("Batch", "0");
  EXPECT_EQ(config().batch, 3);
  EXPECT_TRUE(ui_.shows("batch is 0: it must be at least 1"));
  ui_.view().selection.item = 2;
  type("Batch", "1");
  EXPECT_EQ(ui_.view().selection.item, 0);
}

TEST_F(Settings, Positions) {
  choose("own coordinates", "sinusoids over all");
  EXPECT_EQ(ui_.document().positions, Positions::sinusoidal);
  EXPECT_EQ(ui_.trace().documentPtr(), ui_.app().document());
  choose("sinusoids over all", "off");
  EXPECT_EQ(ui_.document().positions, Positions::none);
}

TEST_F(Settings, WeightsAndSeed) {
  const TracePtr before = ui_.app().trace();
  choose("xavier", "identity");
  EXPECT_EQ(ui_.trace().value({TensorId::wQ, -1, -1, 3, 3}), 1.0F);
  choose("identity", "xavier");
  EXPECT_TRUE(sameValues(ui_.trace(), *before, TensorId::output));
  type("Seed", "7");
  EXPECT_EQ(ui_.document().weightSource.seed, 7U);
  EXPECT_FALSE(sameValues(ui_.trace(), *before, TensorId::output));
  type("Seed", "1");
  EXPECT_TRUE(sameValues(ui_.trace(), *before, TensorId::output));
}

TEST_F(Settings, WhatCannotBeUsedIsSaidBelowItsFieldAndLeavesTheDocument) {
  typeLengths("4");
  const ImU32 bad = theme(ThemeKind::light).bad;
  const auto refuses = [&](const char* field, const char* typed, const char* message) {
    const DocumentPtr before = ui_.app().document();
    if (std::string_view(field) == "Padding lengths") {
      typeLengths(typed);
    } else {
      type(field, typed);
    }
    EXPECT_EQ(ui_.app().document(), before) << field << " " << typed;
    EXPECT_TRUE(ui_.shows(message, "Popup")) << ui_.screen().all("Popup");
    const auto shown = ui_.screen().findAfter(field, "Popup");
    ASSERT_TRUE(shown) << typed;
    EXPECT_EQ(shown->color, bad) << typed;
  };
  refuses("Padding lengths", "7.5", "lengths: '7.5' is not a whole number; give one per batch");
  refuses("Padding lengths", "abc", "lengths: 'abc' is not a whole number");
  refuses("Padding lengths", "4,", "lengths: '' is not a whole number");
  refuses("Padding lengths", "4 2", "lengths: '4 2' is not a whole number");
  refuses("Padding lengths", "-1", "length -1 is not between 0 and the 6 keys there are");
  typeLengths("4");
  refuses("Temperature", "0", "temperature is 0: it must be a number above 0");
  refuses("Temperature", "-2", "temperature is -2: it must be a number above 0");
  refuses("Temperature", "warm", "temperature: 'warm' is not a number; give a number above 0");
  refuses("Temperature", "inf", "temperature is ∞: it must be a number above 0");
  type("Temperature", "1");
  refuses("Window", "-3", "window is -3: give 1 or more, or 0 for none");
  refuses("Window", "2.5", "window: '2.5' is not a whole number; give 1 or more, or 0 for none");
  refuses("Seed", "-7", "seed is -7: give 0 or more");
  refuses("Seed", "x", "seed: 'x' is not a whole number; give 0 or more");
  refuses("Batch", "two", "batch: 'two' is not a whole number; give 1 or more");
  refuses("Key/value heads", "none", "kv_heads: 'none' is not a whole number; give a count");
}

TEST_F(Settings, WhatWasRefusedGoesWithAGoodValueAStepOrThePopup) {
  type("Window", "-3");
  type("Window", "3");
  EXPECT_EQ(config().mask.window, 3);
  EXPECT_FALSE(ui_.shows("window is", "Popup"));
  type("Window", "-3");
  ui_.clickArrow("Window", "window", true, "Popup");
  EXPECT_EQ(config().mask.window, 4);
  EXPECT_FALSE(ui_.shows("window is", "Popup"));
  type("Temperature", "warm");
  ui_.press(Key::escape);
  ui_.click("More ▾", "top bar");
  EXPECT_FALSE(ui_.shows("warm", "Popup"));
  EXPECT_EQ(config().switches->temperature, 1.0);
}

TEST_F(Settings, EscapeClosesThem) {
  ui_.press(Key::escape);
  EXPECT_FALSE(ui_.shows("Temperature", "Popup"));
  ui_.press(Key::right);
  EXPECT_EQ(ui_.view().selection.step, StepId::scale);
}

}  // namespace
}  // namespace headscope::ui
