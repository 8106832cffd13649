// Switching heads off: by key, switch and field; the loss of each output, against core's numbers
// and a real run; and each head's contribution through W^O.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/ui/heads/effects.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/analysis/head_effect.h"
#include "core/attention/switches.h"
#include "core/document/attention.h"

namespace headscope::ui {
namespace {

constexpr const char* kOffCard = "effects";

ViewState headsView(EffectTab tab = EffectTab::off) {
  ViewState view;
  view.selection.page = kHeadsPage;
  view.heads.effectTab = tab;
  return view;
}

DocumentPtr editedDocument(const DocumentPtr& document, const Edit& edit) {
  return apply(*document, edit, kTestBudget).document;
}

DocumentPtr fullyMasked(bool bias) {
  Mask mask;
  mask.lengths = {0};
  return editedDocument(
      editedDocument(presetDocument("original-transformer"), SetSwitch{&Switches::bias, bias}),
      SetMask{mask});
}

/// Documents of every shape that the card must support.
std::vector<std::pair<std::string, DocumentPtr>> shapes() {
  const DocumentPtr original = presetDocument("original-transformer");
  Mask oneRow;
  auto painted = std::make_shared<PaintedMask>(PaintedMask{6, 6, std::vector<std::uint8_t>(36, 1)});
  std::fill_n(painted->allowed.begin() + 2 * 6, 6, std::uint8_t{0});
  oneRow.painted = painted;
  const DocumentPtr biased = editedDocument(original, SetCell{{TensorId::bO, -1, -1, 0, 3}, 0.5F});
  DocumentPtr pinned = editedDocument(original, SetPin{{{TensorId::heads, 0, 0, 2, 3}, 1.5F}});
  return {{"8 heads", original},
          {"one head", textDocument("The cat sat on the mat", 512, 1)},
          {"GQA", editedDocument(original, SetDimensions{512, 8, 2})},
          {"one row masked", editedDocument(biased, SetMask{oneRow})},
          {"all rows masked", fullyMasked(true)},
          {"T = 1", textDocument("cat")},
          {"d_k = 1", textDocument("The cat sat", 8, 8)},
          {"a pinned head", editedDocument(pinned, SetHeadGain{0, 0.5F})},
          {"no bias", editedDocument(original, SetSwitch{&Switches::bias, false})}};
}

HeadEffects effectsOf(AppDriver& ui) {
  return headEffects(ui.trace(), ui.view().selection.item).value();
}

std::vector<float> gains(AppDriver& ui) { return ui.config().headGains; }

class HeadsOff : public testing::Test {
 protected:
  bool shows(const std::string& text) { return ui_.shows(text, kOffCard); }
  std::string words() { return ui_.screen().all(kOffCard); }

  AppDriver ui_{presetDocument("original-transformer"), 1600, 1000, headsView()};
};

TEST_F(HeadsOff, XSwitchesTheChosenHeadOnBothPages) {
  for (const std::string page : {kHeadsPage, kFlowPage}) {
    ui_.view().selection.page = page;
    ui_.view().selection.head = 2;
    const Tensor before = ui_.trace().tensor(TensorId::output);
    ui_.pressAlt(Key{'X'});
    EXPECT_EQ(gains(ui_), (std::vector<float>{1, 1, 0, 1, 1, 1, 1, 1}));
    EXPECT_EQ(ui_.trace().value({TensorId::heads, 0, 2, 1, 1}), 0.0F);
    EXPECT_TRUE(ui_.shows(page == kHeadsPage ? "head 3 is off" : "off",
                          page == kHeadsPage ? kOffCard : "strip"))
        << ui_.screen().all();
    ui_.pressAlt(Key{'X'});
    EXPECT_TRUE(gains(ui_).empty());
    ui_.pressAlt(Key{'X'});
    ui_.press(Key{'Z'}, true);
    EXPECT_TRUE(gains(ui_).empty());
    EXPECT_EQ(ui_.trace().tensor(TensorId::output).values(), before.values());
  }
}

TEST_F(HeadsOff, ShiftXLeavesOneAndThenAllAsOneEntryEach) {
  ui_.view().selection.head = 5;
  ui_.pressAlt(Key{'X'}, true);
  EXPECT_EQ(gains(ui_), (std::vector<float>{0, 0, 0, 0, 0, 1, 0, 0}));
  ui_.pressAlt(Key{'X'}, true);
  EXPECT_TRUE(gains(ui_).empty());
  EXPECT_EQ(ui_.undoAll(), 2);
  ui_.click("only this head on", kOffCard);
  EXPECT_EQ(gains(ui_), (std::vector<float>{0, 0, 0, 0, 0, 1, 0, 0}));
  ui_.click("all on", kOffCard);
  EXPECT_TRUE(gains(ui_).empty());
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(ui_.app().message(), "undone: all heads on");
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(ui_.app().message(), "undone: all heads off but 6");
  ui_.view().selection.head = 1;
  ui_.pressAlt(Key{'X'});  // off; shift+X then leaves it on alone
  ui_.pressAlt(Key{'X'}, true);
  EXPECT_EQ(gains(ui_), (std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0}));
}

TEST_F(HeadsOff, EveryTileOfTheStripHasASwitch) {
  ui_.view().selection.page = kFlowPage;
  ui_.settle();
  const auto tiles = ui_.heatmaps("strip");
  ASSERT_EQ(tiles.size(), 8U);
  const ImVec2 toggle(tiles[3].x1 + 24.0F, tiles[3].y1 - 6.5F);
  ui_.clickAt(toggle);
  EXPECT_EQ(gains(ui_), (std::vector<float>{1, 1, 1, 0, 1, 1, 1, 1}));
  EXPECT_EQ(ui_.view().selection.head, 0);  // the tile under it was not clicked
  ui_.clickAt(toggle);
  EXPECT_TRUE(gains(ui_).empty());
  ui_.clickAt(middle(tiles[3]));
  EXPECT_EQ(ui_.view().selection.head, 3);
}

TEST_F(HeadsOff, ATypedGainIsOneEntry) {
  ui_.view().selection.head = 4;
  ui_.settle();
  ui_.typeInto("gain", "0.25", kOffCard);
  ui_.press(Key::enter);
  EXPECT_FLOAT_EQ(ui_.config().gain(4), 0.25F);
  EXPECT_EQ(ui_.undoAll(), 1);
  ui_.typeInto("gain", "2.5", kOffCard);
  ui_.press(Key::enter);
  EXPECT_TRUE(shows("gain is 2.5: it must be from 0 (off) to 2")) << words();
  EXPECT_TRUE(gains(ui_).empty());
  ui_.typeInto("gain", "half", kOffCard);
  EXPECT_TRUE(shows("gain: 'half' is not a number")) << words();
  ui_.press(Key{'H'});
  ui_.press(Key::enter);
  ui_.press(Key{'H'});
  EXPECT_FALSE(shows("is not a number")) << words();
}

TEST_F(HeadsOff, ADraggedGainIsOneEntry) {
  const ImVec2 box = ui_.after("gain", kOffCard);
  const auto slide = [&](float x) {
    ui_.host().drag(ui_.app(), {box.x + 100.0F, box.y}, {x, box.y});
    ui_.settle();
  };
  slide(box.x + 600.0F);
  EXPECT_FLOAT_EQ(ui_.config().gain(0), 2.0F);
  EXPECT_EQ(ui_.undoAll(), 1);
  slide(box.x - 100.0F);
  EXPECT_FLOAT_EQ(ui_.config().gain(0), 0.0F);
  EXPECT_EQ(ui_.undoAll(), 1);
}

TEST_F(HeadsOff, TheBarUnderTheMouseIsCoresNumber) {
  const HeadEffects effects = effectsOf(ui_);
  const auto first = ui_.screen().find("head 4, if off", kOffCard);
  const auto next = ui_.screen().find("head 5, if off", kOffCard);
  ASSERT_TRUE(first && next) << words();
  const float width = next->min.x - first->min.x - 14.0F;
  for (const Index token : {Index{0}, Index{2}, Index{5}}) {
    const float along = (static_cast<float>(token) + 0.5F) / 6.0F;
    const ImVec2 bar(first->min.x + width * along, first->max.y + 60.0F);
    ui_.hover(bar);
    const auto& name = ui_.document().input->tokens[0][static_cast<std::size_t>(token)];
    EXPECT_TRUE(ui_.shows(fmt::format("without head 4, ‘{}’: {} % of the output's norm", name,
                                      number(100.0 * *effects.effect(3, token), 3)),
                          "Tooltip"))
        << ui_.screen().all("Tooltip");
    ui_.clickAt(bar);
    EXPECT_EQ(ui_.view().selection.head, 3);
    EXPECT_EQ(ui_.view().selection.cell->row, token);
  }
}

TEST_F(HeadsOff, TheHeatmapHoldsEveryEffect) {
  ui_.click("heatmap", kOffCard);
  const HeadEffects effects = effectsOf(ui_);
  const gl::HeatmapSource* source = nullptr;
  for (const auto& command : ui_.app().scene().commands) {
    const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch);
    if (batch == nullptr || batch->sources.empty()) continue;
    const gl::HeatmapSource& first = batch->sources[0];
    if (first.rows == 8 && first.cols == 6) source = &first;
  }
  ASSERT_NE(source, nullptr);
  ASSERT_EQ(source->cols, 6);
  std::vector<float> cells(48);
  source->fill(cells.data());
  for (Index h = 0; h < 8; ++h) {
    for (Index i = 0; i < 6; ++i) {
      const double percent = 100.0 * *effects.effect(h, i);
      EXPECT_FLOAT_EQ(cells[static_cast<std::size_t>(h * 6 + i)], static_cast<float>(percent));
      EXPECT_TRUE(shows(cellNumber(percent, percent < 100.0 ? 1 : 0))) << words();
    }
  }
  const auto map = ui_.heatmaps(kOffCard);
  ASSERT_EQ(map.size(), 1U);
  ui_.clickAt(cellAt(map[0], 8, 6, 6, 2));
  EXPECT_EQ(ui_.view().selection.head, 6);
  ASSERT_TRUE(ui_.view().selection.cell);
  EXPECT_EQ(ui_.view().selection.cell->row, 2);
}

/// In a low card the formula gives way to what it says of the head.
TEST(HeadsOffLow, TheCheckIsInSight) {
  AppDriver ui(textDocument("The cat , which was very fluffy , slept by the warm fire ."), 1280,
               720, headsView());
  ui.settle();
  EXPECT_TRUE(ui.shows("of outputs up to", "off words")) << ui.screen().all(kOffCard);
  EXPECT_FALSE(ui.shows("output = ", "off words"));
  ui.restart(textDocument("The cat sat"), headsView());
  ui.settle();
  EXPECT_TRUE(ui.shows("of outputs up to", "off words")) << ui.screen().all(kOffCard);
}

TEST_F(HeadsOff, WhatGoesIsCheckedAgainstARealRunAgainWhenThePassChanges) {
  const auto expectChecked = [&] {
    const auto checked = checkEffect(ui_.app().trace(), 0, ui_.view().selection.head);
    ASSERT_TRUE(checked);
    EXPECT_TRUE(
        shows(fmt::format("checked against a run {} head {}: largest difference {} of "
                          "outputs up to {}",
                          checked->gain == 0.0F ? "without" : "with", ui_.view().selection.head + 1,
                          nearZeroText(checked->largest), number(checked->magnitude, 3))))
        << words();
  };
  expectChecked();
  const std::string before = words();
  ui_.press(Key{'H'});
  expectChecked();
  ui_.click("causal", "top bar");
  expectChecked();
  ui_.pressAlt(Key{'X'});
  expectChecked();
  EXPECT_TRUE(shows("Head 2 is off, so its term is already 0"));
  EXPECT_NE(words(), before);
}

TEST(HeadsOffCheck, SubtractingIsRecomputingWhateverTheShape) {
  for (const auto& [name, document] : shapes()) {
    const TracePtr trace = runAttention(document);
    for (Index head = 0; head < trace->config().numHeads; ++head) {
      const auto checked = checkEffect(trace, 0, head);
      ASSERT_TRUE(checked);
      EXPECT_LE(checked->largest, 1e-5) << name << ", head " << head;
      EXPECT_TRUE(checked->agrees());
      // the pass is not compared with itself
      const Tensor& now = trace->tensor(TensorId::output);
      const Tensor without = outputWithGain(*trace, 0, head, 0.0F);
      if (name == "8 heads") {
        EXPECT_NE(now.reshaped(without.shape()).values(), without.values());
      }
    }
  }
  CheckedEffect wrong;
  wrong.magnitude = 3.0;
  wrong.largest = 1e-3;
  EXPECT_FALSE(wrong.agrees());
}

TEST(HeadsOffCheck, FindsAnOutputThatIsWrong) {
  for (const auto& [name, document] : shapes()) {
    const TracePtr trace = runAttention(document);
    ASSERT_TRUE(checkEffect(trace, 0, 0)->agrees()) << name;
    const auto wrong = std::make_shared<Trace>(*trace);
    Tensor output = trace->tensor(TensorId::output).clone();
    for (Index i = 0; i < output.size(); ++i) output.mutableData()[i] += 100.0F;
    wrong->put(TensorId::output, output);
    EXPECT_FALSE(checkEffect(wrong, 0, 0)->agrees()) << name;
  }
}

TEST(HeadsOffShares, SumToOneOnScreenWhateverTheShape) {
  for (const auto& [name, document] : shapes()) {
    AppDriver ui(document, 1600, 1000, headsView(EffectTab::outputMatrix));
    const HeadEffects effects = effectsOf(ui);
    const Index heads = ui.config().numHeads;
    for (Index token = 0; token < ui.config().seqLen; ++token) {
      ui.view().selection.cell = CellRef{TensorId::output, 0, -1, token, 0};
      ui.settle();
      const std::vector<double> shares = sharesOf(effects, token);
      if (shares.empty()) {  // b_O is 0 in a new document: so is the output of a masked row
        EXPECT_EQ(effects.outputNorm(token), 0.0);
        EXPECT_TRUE(ui.shows("Not defined for", kOffCard)) << name;
        continue;
      }
      ASSERT_EQ(static_cast<Index>(shares.size()), heads + 1) << name;
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-5) << name;
      EXPECT_TRUE(ui.shows("Σ = 1.000", kOffCard)) << name << ": " << ui.screen().all(kOffCard);
      for (Index h = 0; h < heads; ++h) {
        const double share = *effects.share(h, token);
        EXPECT_TRUE(ui.shows(fmt::format("{} {}", h + 1, cellNumber(share, 3)), kOffCard))
            << name << ": " << ui.screen().all(kOffCard);
      }
    }
    const std::vector<double> norms = outputBlockNorms(ui.trace());
    for (const double norm : norms) EXPECT_TRUE(ui.shows(number(norm, 3), kOffCard)) << name;
    EXPECT_EQ(static_cast<Index>(ui.heatmaps(kOffCard).size()), heads) << name;
  }
}

TEST(HeadsOffShares, AClickChoosesHeadAndToken) {
  AppDriver ui(textDocument("The cat sat on the mat", 16, 4), 1600, 1000,
               headsView(EffectTab::outputMatrix));
  const auto blocks = ui.heatmaps(kOffCard);
  ASSERT_EQ(blocks.size(), 4U);
  ui.hover(cellAt(blocks[3], 4, 16, 1, 10));  // W_O is stored (out, in)
  EXPECT_TRUE(ui.shows("W_O from column 13 of the concatenation (head 4) to column 10", "Tooltip"))
      << ui.screen().all("Tooltip");
  ui.clickAt(middle(blocks[3]));
  EXPECT_EQ(ui.view().selection.head, 3);
  const ImVec2 label = ui.at("sat", kOffCard);
  ui.clickAt({label.x - 4.0F, label.y - 40.0F});
  EXPECT_EQ(ui.view().selection.cell->row, 2);
  EXPECT_TRUE(ui.shows("‘sat’: 4 heads and the bias, Σ = 1.000", kOffCard))
      << ui.screen().all(kOffCard);
}

TEST(HeadsOffShares, AnOutputOfZeroHasNone) {
  AppDriver ui(fullyMasked(false), 1600, 1000, headsView(EffectTab::outputMatrix));
  EXPECT_TRUE(ui.shows("Not defined for ‘The’: its output is 0", kOffCard))
      << ui.screen().all(kOffCard);
  ui.click("Switch a head off", kOffCard);
  EXPECT_TRUE(ui.shows("6 of 6 tokens have an output of 0, so no percentage is defined", kOffCard));
  EXPECT_TRUE(ui.shows("largest difference 0 of outputs up to 0", kOffCard));
  EXPECT_FALSE(ui.shows("nan"));
}

TEST(HeadsOffMany, ScrollAndStayFew) {
  AppDriver ui(textDocument("The cat sat on the mat", 768, 96), 1600, 1000, headsView());
  EXPECT_TRUE(ui.shows("head 1", kOffCard));
  EXPECT_FALSE(ui.shows("head 96", kOffCard));
  ui.host().moveMouse(ui.at("head 2", kOffCard));
  for (int i = 0; i < 120; ++i) {
    ui.host().wheel(-1);
    ui.frame();
  }
  ui.settle();
  EXPECT_TRUE(ui.shows("head 96", kOffCard)) << ui.screen().all(kOffCard);
  ui.click("heatmap", kOffCard);
  ASSERT_EQ(ui.heatmaps(kOffCard).size(), 1U);
  ui.click("Output matrix", kOffCard);
  EXPECT_TRUE(ui.shows("Σ = 1.000", kOffCard));
}

TEST(HeadsOffMany, TokensShareABarAndThatIsSaid) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "the cat sat on the mat ";
  AppDriver ui(textDocument(text, 32, 8), 1600, 1000, headsView());
  ASSERT_EQ(ui.config().seqLen, 240);
  EXPECT_TRUE(ui.shows("bar: mean of", kOffCard)) << ui.screen().all(kOffCard);
  ui.view().heads.pooling = Pooling::maximum;
  ui.settle();
  EXPECT_TRUE(ui.shows("bar: largest of", kOffCard));
  ui.click("heatmap", kOffCard);
  EXPECT_FALSE(ui.shows("cell:", kOffCard));  // there is room for each
}

}  // namespace
}  // namespace headscope::ui
