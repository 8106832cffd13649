// Worksheets: numbers for pencil and paper, others for each seed.
#include "core/presets/worksheet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope {
namespace {

TEST(Worksheet, HasWholeNumbersUntilTheSoftmax) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TracePtr trace = runAttention(worksheetDocument(seed));
    for (const TensorId id :
         {TensorId::x, TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO, TensorId::qProj,
          TensorId::kProj, TensorId::vProj, TensorId::rawScores}) {
      const std::vector<float> cells = trace->tensor(id).values();
      EXPECT_TRUE(std::ranges::all_of(cells, [](float c) { return c == std::round(c); }))
          << info(id).name << ", seed " << seed;
    }
    const std::vector<float> scores = trace->tensor(TensorId::rawScores).values();
    EXPECT_TRUE(std::ranges::all_of(scores, [](float s) { return std::abs(s) <= 8.0F; })) << seed;
    const std::vector<float> shares = trace->tensor(TensorId::weights).values();
    EXPECT_LE(std::ranges::max(shares), 0.95F) << seed;
  }
}

TEST(Worksheet, IsTheSameForASeedAndAnotherForTheNext) {
  const auto x = [](std::uint64_t seed) { return worksheetDocument(seed)->input->x.values(); };
  EXPECT_EQ(x(7), x(7));
  EXPECT_NE(x(7), x(8));
}

}  // namespace
}  // namespace headscope
