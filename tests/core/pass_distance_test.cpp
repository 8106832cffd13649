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
#include "core/model/text_alignment.h"

namespace headscope::model {
namespace {

std::filesystem::path gpt2() { return std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2"; }

ModelTracePtr passOver(std::vector<Index> ids, const std::filesystem::path& folder = gpt2()) {
  const auto model = formats::openModel(folder, defaultMemoryBudget() / 8);
  return runModel(makeModelDocument(model, {std::move(ids), {}, {}}), nullptr, {},
                  defaultMemoryBudget() / 8);
}

std::optional<std::vector<std::optional<double>>> distancesBetween(const ModelTrace& one,
                                                                   const ModelTrace& other) {
  return headDistances(one, other, pairsOf(one, other), {});
}

TEST(PassDistance, IsHalfTheSumOfDifferencesPerRow) {
  const auto one = passOver({3, 1, 4, 1, 5}), other = passOver({3, 1, 4, 2, 6});
  ASSERT_EQ(whyNotComparable(*one, *other), "");
  const auto found = distancesBetween(*one, *other);
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
  const auto found = distancesBetween(*one, *other);
  ASSERT_TRUE(found);
  for (const auto& distance : *found) EXPECT_EQ(distance, 0.0);
}

/// Each row of a causal model is that of the shorter text, and a token more changes none.
TEST(PassDistance, OfALongerTextIsThatOfTheTokensOfBoth) {
  const auto one = passOver({3, 1, 4, 9}), other = passOver({3, 1, 4});
  const PassPairs pairs = pairsOf(*one, *other);
  EXPECT_EQ(pairs.tokens, (std::vector<Index>{0, 1, 2, kNoPartner}));
  EXPECT_EQ(pairs.inWords, "Compared are the 3 of 4 tokens that have a partner among the 3 there.");
  const auto found = distancesBetween(*one, *other);
  for (const auto& distance : *found) EXPECT_NEAR(distance.value(), 0.0, 1e-6);
}

/// Weight on a key without a partner is shared by none: the distance is that of distributions.
TEST(PassDistance, CountsTheWeightOnKeysWithoutAPartner) {
  const auto one = passOver({7, 3, 1, 4}), other = passOver({3, 1, 4});
  const PassPairs pairs = pairsOf(*one, *other);
  ASSERT_EQ(pairs.tokens, (std::vector<Index>{kNoPartner, 0, 1, 2}));
  const auto found = distancesBetween(*one, *other);
  const auto weight = [](const ModelTrace& of, Index row, Index key) {
    return double{of.layer(1)->value({TensorId::weights, 0, 2, row, key})};
  };
  double sum = 0.0;
  for (Index row = 1; row < 4; ++row) {
    sum += weight(*one, row, 0);
    for (Index key = 1; key <= row; ++key) {
      sum += std::abs(weight(*one, row, key) - weight(*other, row - 1, key - 1));
    }
  }
  EXPECT_NEAR((*found)[placeOf({1, 2}, one->config())].value(), 0.5 * sum / 3.0, 1e-6);
  const auto back = distancesBetween(*other, *one);  // the weight lies on the other's key
  EXPECT_NEAR((*back)[placeOf({1, 2}, one->config())].value(), 0.5 * sum / 3.0, 1e-6);
}

TEST(PassDistance, ModelsOfOtherSizesAreComparedAsFarAsBothGo) {
  const auto one = passOver({3, 1, 4}), other = passOver({3, 1, 4}, formats::kStoriesModel);
  const PassPairs pairs = pairsOf(*other, *one);
  EXPECT_EQ(pairs.layers, 2);
  EXPECT_EQ(pairs.heads, 4);
  EXPECT_NE(pairs.inWords.find("2 × 6 here, 2 × 4 there"), std::string::npos) << pairs.inWords;
  const auto found = distancesBetween(*other, *one);
  ASSERT_EQ(std::ssize(*found), 12);
  EXPECT_GT((*found)[placeOf({1, 3}, other->config())].value(), 0.0);
  EXPECT_FALSE((*found)[placeOf({1, 4}, other->config())]);
}

/// Tokens of two models are partners by what they say, whatever their ids and marks.
TEST(PassDistance, TokensOfTwoModelsArePairedByWhatTheySay) {
  const auto model = formats::openModel(gpt2(), defaultMemoryBudget() / 8);
  const auto stories = formats::openModel(formats::kStoriesModel, defaultMemoryBudget() / 8);
  const auto one = runModel(makeModelDocument(model, {{5, 6, 7}, {}, {"The", "Ġcat", "Ġsat"}}),
                            nullptr, {}, defaultMemoryBudget() / 8);
  const auto other =
      runModel(makeModelDocument(stories, {{1, 9, 8, 3}, {}, {"<s>", "the", "cat", "sat"}}),
               nullptr, {}, defaultMemoryBudget() / 8);
  EXPECT_EQ(pairsOf(*one, *other).tokens, (std::vector<Index>{1, 2, 3}));
}

/// Sources of other lengths are aligned as texts are.
TEST(PassDistance, OfTwoStacksAlignsTheSourcesToo) {
  const auto model = formats::openModel(
      std::filesystem::path(HEADSCOPE_TEST_DATA) / "families" / "t5", defaultMemoryBudget() / 8);
  const auto over = [&](std::vector<Index> source, std::vector<Index> target) {
    const auto memory = runModel(makeModelDocument(model->encoder(), {std::move(source), {}, {}}),
                                 nullptr, {}, defaultMemoryBudget() / 8);
    return runModel(makeModelDocument(model, {std::move(target), {}, {}}, memory), nullptr, {},
                    defaultMemoryBudget() / 8);
  };
  const auto one = over({7, 3, 40}, {0, 5}), longer = over({7, 3, 40, 9}, {0, 5});
  EXPECT_EQ(whyNotComparable(*one, *longer), "");
  EXPECT_EQ(pairsOf(*longer, *one).memory, (std::vector<Index>{0, 1, 2, kNoPartner}));
  const auto found = distancesBetween(*one, *longer);
  for (Index layer = 1; layer < one->layers(); ++layer) {
    EXPECT_GT((*found)[placeOf({layer, 2}, one->config())].value(), 0.0) << layer;
  }
  EXPECT_EQ(whyNotComparable(*one, *passOver({3, 1})), "one pass reads a source, the other none");
}

TEST(PassDistance, GivesNothingWhereItIsCancelled) {
  const auto one = passOver({3, 1, 4});
  const std::atomic<bool> cancelled = true;
  EXPECT_FALSE(headDistances(*one, *one, pairsOf(*one, *one), {.cancelled = &cancelled}));
}

}  // namespace
}  // namespace headscope::model
