// Small scores: the pictures of a pass that holds no scores are those of one that does.
#include "app/ui/parts/small_scores.h"

#include <gtest/gtest.h>

#include "app/ui/parts/matrix.h"
#include "app_driver.h"
#include "core/document/attention.h"
#include "core/editing/edit.h"

namespace headscope::ui {
namespace {

constexpr std::array kTensors{TensorId::rawScores, TensorId::scores, TensorId::maskedScores,
                              TensorId::weights};

TEST(SmallScores, ShowTheLargestOfEveryBlockHeadByHead) {
  DocumentPtr document = textDocument("the cat sat on a mat", 16, 2);
  document = apply(*document, SetTokens{600}, kTestBudget).document;
  Mask causal;
  causal.causal = true;
  document = apply(*document, SetMask{causal}, kTestBudget).document;
  const TracePtr held = runAttention(document);
  Document without = *document;
  without.scoreStorage = ScoreStorage::none;
  const TracePtr pass = runAttention(std::make_shared<const Document>(without));
  ASSERT_FALSE(pass->holds(TensorId::weights));

  Scheduler scheduler;
  Computations computations(scheduler);
  BackgroundSmallScores inBackground;
  const auto first = [&](TensorId id) { return wholeMatrix(id, pass->config(), 0, 1); };
  EXPECT_FALSE(
      cellsToShow(*inBackground.shown(pass, 0, 1, computations), first(TensorId::weights)));
  TracePtr shown;
  for (int head = 0; head < 2; ++head) {
    computations.finish();
    computations.beginFrame(false);
    shown = inBackground.shown(pass, 0, 1, computations);
    EXPECT_TRUE(cellsToShow(*shown, first(TensorId::weights)));  // the chosen one first
  }
  Magnitudes magnitudes;
  for (const TensorId id : kTensors) {
    for (const Index head : {0, 1}) {
      const MatrixRef ref = wholeMatrix(id, pass->config(), 0, head);
      const auto cells = cellsToShow(*shown, ref);
      ASSERT_TRUE(cells.has_value());
      ASSERT_EQ(cells->rows, 512);
      const CellRows expected = reduced(cellsOf(*held, ref), 512, 512);
      std::vector<float> row(512), expectedRow(512);
      for (Index r = 0; r < 512; ++r) {
        cells->read(r, row);
        expected.read(r, expectedRow);
        ASSERT_EQ(row, expectedRow) << info(id).name << " row " << r;
      }
    }
    EXPECT_EQ(magnitudes.of(*shown, id, 0, -1), Magnitudes().of(*held, id, 0, -1));
  }
  EXPECT_EQ(inBackground.shown(held, 0, 0, computations), held);
}

}  // namespace
}  // namespace headscope::ui
