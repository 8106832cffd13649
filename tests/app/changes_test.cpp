// The changes that an edit makes: the comparison with another state, and the flash.
#include <algorithm>
#include <cmath>
#include <future>
#include <string>
#include <utility>
#include <variant>

#include "app/comparison.h"
#include "app/ui/parts/flash.h"
#include "app/ui/tools/compared_matrices.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/analysis/trace_difference.h"
#include "core/attention/switches.h"
#include "core/document/attention.h"

namespace headscope::ui {
namespace {

TracePtr passOf(const DocumentPtr& document) { return runAttention(document, nullptr, {1}); }

DocumentPtr edited(const DocumentPtr& document, const Edit& edit) {
  return apply(*document, edit, kTestBudget).document;
}

TEST(Comparison, IsTheWantedDocumentsTraceAndNothingElse) {
  Scheduler scheduler;
  Comparison comparison(scheduler, 1);
  EXPECT_EQ(comparison.trace(), nullptr);
  const DocumentPtr first = textDocument("a b c", 16, 2);
  comparison.want(first);
  comparison.finish();
  const TracePtr trace = comparison.trace();
  ASSERT_NE(trace, nullptr);
  EXPECT_TRUE(sameValues(*trace, *passOf(first), TensorId::output));

  const DocumentPtr second = edited(first, SetSwitch{&Switches::scale, false});
  const std::uint64_t series = comparison.series();
  comparison.want(second);
  comparison.finish();
  ASSERT_NE(comparison.trace(), nullptr);
  EXPECT_EQ(comparison.trace()->documentPtr(), second);
  EXPECT_EQ(comparison.series(), series);

  comparison.want(nullptr);
  EXPECT_EQ(comparison.trace(), nullptr);
  comparison.want(second);
  EXPECT_NE(comparison.series(), series);  // its revisions start again
}

/// All parts of one frame read the same result, whenever the pass finishes.
TEST(Comparison, BringsNothingBeforeItIsTaken) {
  std::promise<void> ready;
  Scheduler scheduler;
  Comparison comparison(scheduler, 1);
  comparison.setWake([&, notified = false]() mutable {
    if (!std::exchange(notified, true)) ready.set_value();
  });
  comparison.want(textDocument("a b c", 16, 2));
  ready.get_future().wait();
  EXPECT_EQ(comparison.trace(), nullptr);
  comparison.take();
  EXPECT_NE(comparison.trace(), nullptr);
}

TEST(Comparison, SaysWhyItCannotBeComputed) {
  Scheduler scheduler;
  Comparison comparison(scheduler, 1);
  const DocumentPtr document = textDocument("a b c", 16, 2);
  Document broken = *document;
  broken.weights.bQ = broken.weights.bQ.clone();
  broken.weights.bK = broken.weights.bK.clone();
  std::fill_n(broken.weights.bQ.mutableData(), broken.weights.bQ.size(), 1e30F);
  std::fill_n(broken.weights.bK.mutableData(), broken.weights.bK.size(), 1e30F);
  comparison.want(std::make_shared<const Document>(broken));
  comparison.finish();
  EXPECT_EQ(comparison.trace(), nullptr);
  EXPECT_NE(comparison.problem().find("overflows"), std::string::npos) << comparison.problem();
  comparison.want(document);
  EXPECT_EQ(comparison.problem(), "");
}

/// The difference of a matrix in side × side cells, each with the largest difference it covers.
std::vector<float> differenceAt(const Trace& first, const Trace& second, const MatrixRef& ref,
                                int side) {
  std::vector<float> cells(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  reduce(differenceRows(first, second, ref), side, side, Reduction::largest, cells.data());
  return cells;
}

TEST(DifferenceRows, HoldEveryCellsDifferenceOrTheLargestOfThoseThatFallTogether) {
  const DocumentPtr document = textDocument("a b c d", 16, 2);
  const TracePtr before = passOf(document);
  const TracePtr after = passOf(edited(document, SetPin{{{TensorId::weights, 0, 1, 2, 3}, 0.9F}}));
  const MatrixRef ref = wholeMatrix(TensorId::weights, after->config(), 0, 1);
  const std::vector<float> cells = differenceAt(*after, *before, ref, 4);
  for (Index row = 0; row < 4; ++row) {
    for (Index col = 0; col < 4; ++col) {
      const CellRef cell{TensorId::weights, 0, 1, row, col};
      EXPECT_EQ(cells[static_cast<std::size_t>(row * 4 + col)],
                after->value(cell) - before->value(cell));
    }
  }
  const std::vector<float> coarse = differenceAt(*after, *before, ref, 2);
  EXPECT_EQ(coarse[3], cells[11]);
  EXPECT_EQ(coarse[0], 0.0F);
}

TEST(DifferenceRows, AreMaskedOnlyWhereBothAre) {
  const DocumentPtr document = textDocument("a b c d", 16, 2);
  Mask causal;
  causal.causal = true;
  const TracePtr masked = passOf(edited(document, SetMask{causal}));
  const TracePtr plain = passOf(document);
  const MatrixRef ref = wholeMatrix(TensorId::weights, plain->config(), 0, 0);
  const std::vector<float> same = differenceAt(*masked, *masked, ref, 4);
  EXPECT_EQ(same[1], gl::kMaskedCell);
  EXPECT_EQ(same[4], 0.0F);
  const std::vector<float> cells = differenceAt(*masked, *plain, ref, 4);
  EXPECT_EQ(cells[1], -plain->value({TensorId::weights, 0, 0, 0, 1}));
}

class Changes : public testing::Test {
 protected:
  void open() { ui_.press(Key{'C'}); }
  AppDriver ui_;
};

TEST_F(Changes, SaysSoWhereNothingWasEdited) {
  open();
  EXPECT_EQ(ui_.view().selection.tool, kChangesTool);
  EXPECT_TRUE(ui_.shows("Nothing was edited yet", "flow")) << ui_.screen().all("flow");
}

TEST_F(Changes, ShowsAfterBeforeAndTheDifferenceInNumbers) {
  const TracePtr before = passOf(ui_.app().document());
  ui_.click("causal", "top bar");
  ui_.view().selection.step = StepId::softmax;
  open();
  EXPECT_TRUE(ui_.shows("before causal on", "flow"));
  const auto maps = ui_.heatmaps("flow");
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_TRUE(ui_.shows("30 of 36 cells differ", "flow")) << ui_.screen().all("flow");
  for (const gl::Bounds& map : maps) {
    ui_.hover(cellAt(map, 6, 6, 1, 0));
    const CellRef cell{TensorId::weights, 0, 0, 1, 0};
    const float now = ui_.trace().value(cell);
    const float was = before->value(cell);
    EXPECT_TRUE(ui_.shows(R"(A["cat", "The"]: after )" + number(now, 6) + " · before " +
                              number(was, 6) + " · difference +" + number(now - was, 4),
                          "flow"))
        << ui_.screen().all("flow");
  }
  ui_.clickAt(cellAt(maps[2], 6, 6, 3, 3));
  EXPECT_EQ(ui_.view().selection.cell, (CellRef{TensorId::weights, 0, 0, 3, 3}));
}

TEST_F(Changes, EachOfTheThreeHasATextureOfItsOwn) {
  ui_.click("causal", "top bar");
  ui_.view().selection.step = StepId::softmax;
  open();
  const auto maps = ui_.heatmaps("flow");
  ASSERT_EQ(maps.size(), 3U);
  for (const auto& command : ui_.app().scene().commands) {
    const auto& batch = std::get<gl::HeatmapBatch>(command.batch);
    if (batch.quads.front().rect.x0 != maps.front().x0) continue;
    ASSERT_EQ(batch.sources.size(), 3U);
    EXPECT_NE(batch.sources[0].key, batch.sources[1].key);
    EXPECT_NE(batch.sources[1].key, batch.sources[2].key);
    EXPECT_NE(batch.sources[2].key, batch.sources[0].key);
    return;
  }
  ADD_FAILURE() << "no heatmaps";
}

/// A difference of ∞ has no place on a scale, but it must not read "all 0".
TEST_F(Changes, SaysThatADifferenceIsInfinite) {
  const TracePtr before = passOf(ui_.app().document());
  ui_.click("causal", "top bar");
  ui_.view().selection.step = StepId::mask;
  open();
  EXPECT_TRUE(ui_.shows("15 of 36 cells differ", "flow")) << ui_.screen().all("flow");
  EXPECT_TRUE(ui_.shows("difference0 or ∞", "flow")) << ui_.screen().all("flow");
  EXPECT_FALSE(ui_.shows("all 0", "flow"));
  ui_.click("÷√d", "top bar");
  ui_.click("start", "flow");
  const MatrixDifference d =
      matrixDifference(*before, ui_.trace(), TensorId::maskedScores, 0, ui_.view().selection.head);
  ASSERT_GT(d.largestFinite, 0.0F);
  EXPECT_TRUE(ui_.shows("difference±" + number(d.largestFinite, 3) + " or ∞", "flow"))
      << ui_.screen().all("flow");
}

TEST_F(Changes, ShowsHowFarEachTokensOutputMoved) {
  const TracePtr before = passOf(ui_.app().document());
  ui_.click("causal", "top bar");
  open();
  const auto changes = outputChanges(*before, ui_.trace(), 0);
  ASSERT_EQ(changes.size(), 6U);
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    const OutputChange& c = changes[i];
    EXPECT_TRUE(
        ui_.shows(number(c.moved, 3) + " (" + number(c.moved / c.before * 100, 3) + " %)", "flow"))
        << i << ui_.screen().all("flow");
  }
}

TEST_F(Changes, SaysWhereAStepDidNotChange) {
  ui_.click("causal", "top bar");
  ui_.view().selection.step = StepId::score;
  open();
  EXPECT_TRUE(ui_.shows("nothing changed: all 36 cells are the same", "flow"))
      << ui_.screen().all("flow");
}

TEST_F(Changes, OtherShapesAreSaidInWords) {
  ui_.typeInto("heads", "4");
  ui_.view().selection.step = StepId::softmax;
  ui_.view().selection.tool = kChangesTool;  // otherwise a key would go into the field
  ui_.settle();
  EXPECT_TRUE(ui_.shows("weights has the shape (1, 4, 6, 6) after and (1, 8, 6, 6) before", "flow"))
      << ui_.screen().all("flow");
}

TEST_F(Changes, FollowsUndoAndTheStart) {
  ui_.click("causal", "top bar");
  ui_.click("bias", "top bar");
  open();
  EXPECT_TRUE(ui_.shows("before bias off", "flow"));
  ui_.press(Key{'Z'}, true);
  EXPECT_TRUE(ui_.shows("before causal on", "flow"));
  ui_.press(Key{'Y'}, true);
  ui_.click("start", "flow");
  EXPECT_EQ(ui_.view().selection.against, Against::state);
  ui_.view().selection.step = StepId::softmax;
  ui_.settle();
  EXPECT_TRUE(ui_.shows("cells differ", "flow")) << ui_.screen().all("flow");
}

TEST_F(Changes, AreKeptFromTheRightWayWhileAMistakeIsOn) {
  EXPECT_FALSE(ui_.shows("the right way", "flow"));
  ui_.click("÷√d", "top bar");  // alone, this is a common mistake
  ui_.click("causal", "top bar");
  ui_.view().selection.step = StepId::scale;
  open();
  ui_.click("the right way", "flow");
  const CellRef cell{TensorId::scores, 0, 0, 2, 1};
  ui_.view().selection.cell = cell;
  ui_.settle();
  const float wrong = ui_.trace().value(cell);
  EXPECT_TRUE(ui_.shows("before " + number(wrong / 8.0F, 6), "flow")) << ui_.screen().all("flow");
}

// ---- the flash

/// Rectangles in the colour of the flash in the last frame, whatever their opacity.
int flashes() {
  const ImU32 color = theme(ThemeKind::light).flash & ~IM_COL32_A_MASK;
  int vertices = 0;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i) {
    for (const ImDrawVert& v : data->CmdLists[i]->VtxBuffer) {
      if ((v.col & ~IM_COL32_A_MASK) == color && (v.col & IM_COL32_A_MASK) != 0) ++vertices;
    }
  }
  return vertices / 4;
}

/// Clicks, then shows the first frame after the click before the flash fades.
void clickNow(AppDriver& ui, std::string_view text) {
  ui.host().click(ui.app(), ui.at(text, "top bar"));
  ui.app().finish();
  ui.frame();
}

TEST(Flash, LightsWhatChangedFadesAndThenAsksForNothing) {
  AppDriver ui;
  ui.view().selection.step = StepId::softmax;
  ui.settle();
  ASSERT_FALSE(ui.app().wantsFrame());
  EXPECT_EQ(flashes(), 0);
  clickNow(ui, "causal");
  EXPECT_TRUE(ui.app().wantsFrame());
  EXPECT_GT(flashes(), 8 * 20);  // the tiles of eight heads and the step view
  ui.host().moveMouse({1, 1});
  ui.host().advance(kFlashSeconds);
  ui.frame();
  ui.frame();
  EXPECT_EQ(flashes(), 0);
  EXPECT_FALSE(ui.app().wantsFrame());
  ui.press(Key::escape);
  ui.host().press(ui.app(), Key{'Z'}, true);
  ui.app().finish();
  ui.frame();
  EXPECT_GT(flashes(), 8 * 20);  // undo as well
}

TEST(Flash, WhatIsLargeIsMeasuredInTheBackgroundAndLightsUpWhenItIsKnown) {
  const DocumentPtr document = edited(textDocument("a b c", 16, 2), SetTokens{600});
  const TracePtr before = passOf(document);
  const TracePtr after =
      runAttention(edited(document, SetSwitch{&Switches::scale, false}), before, {1});
  const MatrixRef large = wholeMatrix(TensorId::weights, after->config(), 0, 1);
  const MatrixRef small = wholeMatrix(TensorId::heads, after->config(), 0, 1);
  Scheduler scheduler;
  Computations computations(scheduler);
  Flash flash;
  bool wantsFrame = false;
  flash.start(before, after);
  FlashState first = flash.at(0.0, computations, &wantsFrame);
  EXPECT_TRUE(wantsFrame);
  EXPECT_FALSE(first.parts->of(*before, *after, small, 4, 4).shares.empty());
  EXPECT_TRUE(first.parts->of(*before, *after, large, 4, 4).shares.empty());
  flash.measure(0.0, computations);
  computations.finish();
  computations.beginFrame(false);
  const double late = 2 * kFlashSeconds;  // however long it took
  FlashState then = flash.at(late, computations, &wantsFrame);
  ASSERT_NE(then.parts, nullptr);
  EXPECT_EQ(then.strength, 1.0F);
  EXPECT_EQ(then.parts->of(*before, *after, large, 4, 4).shares,
            flashGrid(*before, *after, large, 4, 4).shares);
  flash.measure(late, computations);
  EXPECT_EQ(flash.at(late + kFlashSeconds, computations, &wantsFrame).before, nullptr);
}

TEST(Flash, AStepThatStaysTheSameIsLeftAlone) {
  AppDriver ui;
  ui.view().selection.step = StepId::score;
  ui.view().selection.focus = kStepViewCard;
  ui.settle();
  ui.view().selection.focus = "";
  ui.settle();
  const ImVec2 causal = ui.at("causal", "top bar");
  ui.host().click(ui.app(), causal);
  ui.view().selection.focus = kStepViewCard;
  ui.app().finish();
  ui.frame();
  EXPECT_TRUE(ui.app().wantsFrame());
  EXPECT_EQ(flashes(), 0);
}

TEST(Flash, IsOffWithoutAnimationAndWhereShapesDiffer) {
  ViewState still;
  still.preferences.animate = false;
  AppDriver ui(presetDocument("original-transformer"), 1600, 1000, still);
  clickNow(ui, "causal");
  EXPECT_EQ(flashes(), 0);

  AppDriver other;
  other.view().selection.step = StepId::softmax;
  other.clickAt(other.after("heads", "top bar"));
  other.press(Key{'A'}, true);
  other.host().type(other.app(), "4");
  other.host().press(other.app(), Key::enter);
  other.app().finish();
  other.frame();
  EXPECT_EQ(other.config().numHeads, 4);
  EXPECT_EQ(flashes(), 0);
}

TEST(Flash, PartsAreSharesOfTheLargestChange) {
  const DocumentPtr document = textDocument("a b c d", 16, 2);
  const TracePtr before = passOf(document);
  const CellRef cell{TensorId::rawScores, 0, 1, 2, 3};
  const TracePtr after = runAttention(edited(document, SetPin{{cell, 9.0F}}), before, {1});
  const MatrixRef ref = wholeMatrix(TensorId::rawScores, after->config(), 0, 1);
  const FlashGrid grid = flashGrid(*before, *after, ref, 4, 4);
  ASSERT_EQ(grid.shares.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(grid.shares[i], i == 11 ? 1.0F : 0.0F) << i;
  const MatrixRef same = wholeMatrix(TensorId::rawScores, after->config(), 0, 0);
  EXPECT_TRUE(flashGrid(*before, *after, same, 4, 4).shares.empty());
  EXPECT_EQ(flashGrid(*before, *after, ref, 2, 2).shares, (std::vector<float>{0, 0, 0, 1}));
}

}  // namespace
}  // namespace headscope::ui
