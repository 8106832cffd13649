// The numbers in the cells of matrices stand upright, or are left out, at every size of the window.
#include <algorithm>
#include <cctype>
#include <string>

#include "app_driver.h"
#include "core/attention/steps/step.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

bool isNumber(const std::string& text) {
  return text.find_first_not_of("0123456789.-") == std::string::npos;
}

/// Returns how many digits there are in a window; expects all to stand upright.
int uprightDigits(AppDriver& ui, std::string_view window) {
  int count = 0;
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    if (run.window.find(window) == std::string::npos || !isNumber(run.text)) continue;
    EXPECT_NEAR(run.glyphs.front().turned, 0.0F, 1.0F) << run.text;
    count += static_cast<int>(std::count_if(run.text.begin(), run.text.end(),
                                            [](unsigned char c) { return std::isdigit(c) != 0; }));
  }
  return count;
}

class NumeralsAtSize : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(NumeralsAtSize, StandUprightInEveryStepOfTheExampleByHand) {
  const auto [width, height] = GetParam();
  AppDriver ui(presetDocument("by-hand"), width, height);
  for (const Step* each : allSteps()) {
    for (const StepViewScope scope : {StepViewScope::thisHead, StepViewScope::allHeads}) {
      ui.view().selection.step = each->id();
      ui.view().selection.scope = scope;
      ui.settle();
      EXPECT_GT(uprightDigits(ui, kStepViewCard), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, NumeralsAtSize,
                         testing::Values(std::pair{1280, 720}, std::pair{1600, 1000},
                                         std::pair{3840, 2160}));

/// The concatenated heads and the output have 3 × 8 numbers of two digits or more, the weight 8 × 8
/// and the bias 8 of one.
TEST(Numerals, OfTheOutputAreThereWhereTheyHaveRoom) {
  AppDriver ui(presetDocument("by-hand"));
  ui.view().selection.step = StepId::output;
  ui.settle();
  EXPECT_GE(uprightDigits(ui, kStepViewCard), 48 + 64 + 8 + 48);
}

/// In a small window the card scrolls rather than leave them out, and shows the chosen cell.
TEST(Numerals, OfTheOutputAreThereInASmallWindow) {
  AppDriver ui(presetDocument("by-hand"), 1280, 720);
  ui.view().selection.step = StepId::output;
  ui.settle();
  EXPECT_GE(uprightDigits(ui, "matrices"), 48 + 64) << ui.screen().all(kStepViewCard);
  ui.view().selection.cell = CellRef{TensorId::output, 0, -1, 1, 7};
  ui.settle();
  ui.frame();
  EXPECT_TRUE(ui.shows("output", "matrices")) << ui.screen().all(kStepViewCard);
}

TEST(Numerals, OfLargeCellsAreOnThePageOfHeads) {
  ViewState view;
  view.selection.page = kHeadsPage;
  AppDriver ui(presetDocument("by-hand"), 1600, 1000, view);
  EXPECT_TRUE(ui.shows("0.71", kAllHeadsCard));
  EXPECT_GE(uprightDigits(ui, kAllHeadsCard), 2 * 9 * 3);
  // none where cells are small
  ui.restart(textDocument("The cat , which was very fluffy , slept by the warm fire ."), view);
  EXPECT_FALSE(ui.shows("0.00", kAllHeadsCard));
}

}  // namespace
}  // namespace headscope::ui
