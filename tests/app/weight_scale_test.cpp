// Scales of weights: dropout and pins take weights out of 0 … 1, and colours, legends and captions
// follow.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/ui/flow_page.h"
#include "app/ui/heads/heads_page.h"
#include "app_driver.h"
#include "core/editing/edit.h"

namespace headscope::ui {
namespace {

DocumentPtr sentence(double dropout) {
  AttentionConfig config = textDocument("The cat sat on the mat", 64, 4)->config;
  config.dropout = {dropout, 3};
  return makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named, {},
                      kTestBudget);
}

DocumentPtr pinned(const DocumentPtr& document, float value) {
  return apply(*document, SetPin{{{TensorId::weights, 0, 1, 2, 3}, value}}, kTestBudget).document;
}

struct Case {
  std::string name;
  DocumentPtr document;
  std::string range;  // as in the legends
};

std::vector<Case> cases() {
  const DocumentPtr plain = sentence(0.0);
  return {{"plain", plain, "0 to 1"},
          {"dropout", sentence(0.1), "0 to 1.11"},
          {"a pin above 1", pinned(plain, 5.0F), "0 to 5"},
          {"a pin below 0", pinned(plain, -3.0F), "±3"}};
}

/// Every cell of every heatmap on the screen lies within the scale it is painted by.
void expectWithinScales(AppDriver& ui, const std::string& where) {
  std::size_t cells = 0;
  for (const auto& command : ui.app().scene().commands) {
    const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch);
    if (batch == nullptr) continue;
    for (const gl::HeatmapQuad& quad : batch->quads) {
      const gl::HeatmapSource& source = batch->sources[quad.source];
      std::vector<float> values(static_cast<std::size_t>(source.rows * source.cols));
      source.fill(values.data());
      for (const float value : values) {
        if (value == gl::kMaskedCell || !std::isfinite(value)) continue;
        EXPECT_GE(value, quad.low - 1e-5F) << where;
        EXPECT_LE(value, quad.high + 1e-5F) << where;
        ++cells;
      }
    }
  }
  EXPECT_GT(cells, 0U) << where;
}

TEST(WeightScale, HoldsEveryCellInFlow) {
  for (const Case& c : cases()) {
    for (const StepViewScope scope : {StepViewScope::thisHead, StepViewScope::allHeads}) {
      ViewState view;
      view.selection.page = kFlowPage;
      view.selection.step = StepId::softmax;
      view.selection.scope = scope;
      view.selection.head = 1;
      AppDriver ui(c.document, 1600, 1000, view);
      expectWithinScales(ui, c.name);
      EXPECT_TRUE(ui.shows("weights " + c.range, "heads")) << c.name;
    }
  }
}

TEST(WeightScale, HoldsEveryCellOfTheHeadsPage) {
  for (const Case& c : cases()) {
    ViewState view;
    view.selection.page = kHeadsPage;
    AppDriver ui(c.document, 1600, 1000, view);
    expectWithinScales(ui, c.name);
  }
}

TEST(WeightScale, TheCaptionSaysWhatRowsSumTo) {
  const auto says = [](const DocumentPtr& document, const std::string& sentence) {
    ViewState view;
    view.selection.page = kFlowPage;
    view.selection.step = StepId::softmax;
    AppDriver ui(document, 1600, 1000, view);
    return ui.shows(sentence, "stage");
  };
  EXPECT_TRUE(says(sentence(0.0), "each row sums to 1"));
  EXPECT_TRUE(says(pinned(sentence(0.0), 5.0F), "rows with a pinned weight need not sum to 1"));
  EXPECT_FALSE(says(pinned(sentence(0.0), 5.0F), "each row sums to 1"));
  EXPECT_TRUE(says(sentence(0.1), "some are dropped"));
  Mask mask;
  mask.lengths = {0};
  const DocumentPtr masked = apply(*sentence(0.0), SetMask{mask}, kTestBudget).document;
  EXPECT_TRUE(says(masked, "each row with an allowed key sums to 1"));
}

}  // namespace
}  // namespace headscope::ui
