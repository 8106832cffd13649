// The distance between the attention of two passes.
#include "core/model/pass_distance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>

#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"

namespace headscope::model {
namespace {

std::filesystem::path gpt2() { return std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2"; }

ModelTracePtr passOver(std::vector<Index> ids, const std::filesystem::path& folder = gpt2()) {
  const auto model = formats::openModel(folder, defaultMemoryBudget() / 8);
  return runModel(makeModelDocument(model, {std::move(ids), {}, {}}), nullptr, {},
                  defaultMemoryBudget() / 8);
}

TEST(PassDistance, IsHalfTheSumOfDifferencesPerRow) {
  const auto one = passOver({3, 1, 4, 1, 5}), other = passOver({3, 1, 4, 2, 6});
  ASSERT_EQ(whyNotComparable(*one, *other), "");
  const auto found = headDistances(*one, *other, {});
  ASSERT_TRUE(found);
  ASSERT_EQ(std::ssize(*found), one->layers() * one->config().heads);
  for (Index layer = 0; layer < one->layers(); ++layer) {
    for (Index head = 0; head < one->config().heads; ++head) {
      double sum = 0.0;
      for (Index row = 0; row < 5; ++row) {
        for (Index key = 0; key < 5; ++key) {
          const CellRef cell{TensorId::weights, 0, head, row, key};
          sum += std::abs(static_cast<double>(one->layer(layer)->value(cell)) -
                          static_cast<double>(other->layer(layer)->value(cell)));
        }
      }
      const double distance = (*found)[placeOf({layer, head}, one->config())];
      EXPECT_NEAR(distance, 0.5 * sum / 5.0, 1e-7);
      EXPECT_GT(distance, 0.0);
      EXPECT_LT(distance, 1.0);
    }
  }
}

TEST(PassDistance, IsZeroBetweenEqualPasses) {
  const auto one = passOver({3, 1, 4}), other = passOver({3, 1, 4});
  const auto found = headDistances(*one, *other, {});
  ASSERT_TRUE(found);
  for (const double distance : *found) EXPECT_EQ(distance, 0.0);
}

TEST(PassDistance, SaysWhyPassesAreNotComparable) {
  const auto one = passOver({3, 1, 4});
  EXPECT_EQ(whyNotComparable(*one, *passOver({3, 1})), "one pass has 3 tokens, the other 2");
  EXPECT_EQ(whyNotComparable(*one, *passOver({3, 1, 4}, formats::kStoriesModel)),
            "one pass has 4 heads per layer, the other 6");
}

TEST(PassDistance, GivesNothingWhereItIsCancelled) {
  const auto one = passOver({3, 1, 4});
  const std::atomic<bool> cancelled = true;
  EXPECT_FALSE(headDistances(*one, *one, {.cancelled = &cancelled}));
}

}  // namespace
}  // namespace headscope::model
