// Caches stay small, however many different things a long session shows.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <vector>

#include "app/layers_in_flow.h"
#include "app/ui/parts/matrix.h"
#include "app_driver.h"
#include "core/document/attention.h"
#include "tests/core/support/sanitized.h"

namespace headscope::ui {
namespace {

TEST(Magnitudes, StaySmallUnderManyDifferentParts) {
  const TracePtr trace = runAttention(textDocument("The cat sat"));
  MatrixRef part = wholeMatrix(TensorId::wQ, trace->config(), -1, 0);
  part.rows = part.cols = 1;
  Magnitudes magnitudes;
  const auto before = mallinfo2().uordblks;
  for (Index row = 0; row < trace->config().dModel; ++row) {
    for (Index col = 0; col < trace->config().dModel; ++col) {  // 262,144 in all, 64 bytes each
      part.row0 = row;
      part.col0 = col;
      magnitudes.ofPart(*trace, part);
    }
  }
  if (!test::kSanitized) {  // a sanitizer's allocator does not count
    EXPECT_LT(mallinfo2().uordblks, before + 4'000'000);
  }
}

TEST(LayersInFlow, KeepsThoseThatWereOpenedLast) {
  LayersInFlow layers;
  std::vector<DocumentPtr> documents;
  for (Index layer = 0; layer < 200; ++layer) {
    documents.push_back(textDocument("Words"));
    layers.opened({nullptr, layer, documents.back()});
    ASSERT_LE(layers.all().size(), LayersInFlow::kMost);
  }
  EXPECT_EQ(layers.count(), 200U);
  ASSERT_NE(layers.layerOf(*documents.back()), nullptr);
  EXPECT_EQ(layers.layerOf(*documents.back())->layer, 199);
  EXPECT_EQ(layers.layerOf(*documents.front()), nullptr);
}

}  // namespace
}  // namespace headscope::ui
