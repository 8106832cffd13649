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
      const double distance = (*found)[placeOf({layer, head}, one->config())].value();
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
  for (const auto& distance : *found) EXPECT_EQ(distance, 0.0);
}

TEST(PassDistance, SaysWhyPassesAreNotComparable) {
  const auto one = passOver({3, 1, 4});
  EXPECT_EQ(whyNotComparable(*one, *passOver({3, 1})), "one pass has 3 tokens, the other 2");
  EXPECT_EQ(whyNotComparable(*one, *passOver({3, 1, 4}, formats::kStoriesModel)),
            "one pass has 4 heads per layer, the other 6");
}

/// A decoder's own attentions are compared where its sources differ in length, cross-attention not.
TEST(PassDistance, OfTwoStacksComparesWhatHasAsManyKeys) {
  const auto model = formats::openModel(
      std::filesystem::path(HEADSCOPE_TEST_DATA) / "families" / "t5", defaultMemoryBudget() / 8);
  const auto over = [&](std::vector<Index> source, std::vector<Index> target) {
    const auto memory = runModel(makeModelDocument(model->encoder(), {std::move(source), {}, {}}),
                                 nullptr, {}, defaultMemoryBudget() / 8);
    return runModel(makeModelDocument(model, {std::move(target), {}, {}}, memory), nullptr, {},
                    defaultMemoryBudget() / 8);
  };
  const auto one = over({7, 3, 40}, {0, 5}), longer = over({7, 3, 40, 9}, {0, 5});
  EXPECT_EQ(whyNotComparable(*one, *longer, 0), "");
  EXPECT_EQ(whyNotComparable(*one, *longer, 1), "one pass has 3 tokens of the source, the other 4");
  const auto found = headDistances(*one, *longer, {});
  ASSERT_TRUE(found);
  for (Index layer = 0; layer < one->layers(); ++layer) {
    EXPECT_EQ((*found)[placeOf({layer, 2}, one->config())].has_value(), layer % 2 == 0) << layer;
  }
  EXPECT_GT((*found)[placeOf({2, 2}, one->config())].value(), 0.0);
  const auto another = headDistances(*one, *over({7, 3, 41}, {0, 5}), {});
  EXPECT_GT((*another)[placeOf({1, 2}, one->config())].value(), 0.0);
}

TEST(PassDistance, GivesNothingWhereItIsCancelled) {
  const auto one = passOver({3, 1, 4});
  const std::atomic<bool> cancelled = true;
  EXPECT_FALSE(headDistances(*one, *one, {.cancelled = &cancelled}));
}

}  // namespace
}  // namespace headscope::model
