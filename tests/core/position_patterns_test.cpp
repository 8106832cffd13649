// Patterns by position alone against the formula, and of heads that are known to go by position.
#include "core/model/position_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/formats/shipped_model.h"
#include "core/model/pass_distance.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using Row = std::vector<double>;

/// LayerNorm of a row.
Row normalisedRow(Row x, const NormWeights& norm, double epsilon) {
  double mean = 0.0, square = 0.0;
  for (const double each : x) mean += each / static_cast<double>(x.size());
  for (const double each : x)
    square += (each - mean) * (each - mean) / static_cast<double>(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto at = static_cast<Index>(j);
    x[j] = (x[j] - mean) / std::sqrt(square + epsilon) * double{norm.gain.data()[at]} +
           double{norm.bias.data()[at]};
  }
  return x;
}

/// Some rows of a projection of a row, with their biases.
Row projected(const Row& x, const Tensor& weight, const Tensor& bias, Index first, Index rows) {
  Row y(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) {
    double sum = bias.empty() ? 0.0 : double{bias.data()[first + i]};
    for (Index j = 0; j < weight.dim(1); ++j) {
      sum += double{weight.at({first + i, j})} * x[static_cast<std::size_t>(j)];
    }
    y[static_cast<std::size_t>(i)] = sum;
  }
  return y;
}

/// The weights of the last of some equal tokens, by the formula, for a head of GPT-2.
Row lastRow(const Model& model, HeadOfLayer head, Index tokens) {
  const ModelConfig& c = model.config();
  const auto embedding = model.embedding();
  const Tensor words = embedding->tokens.widened();
  const LayerWeightsPtr layer = model.layer(head.layer);
  const Index first = head.head * c.headDim;
  std::vector<Row> streams;
  for (Index place = 0; place < tokens; ++place) {
    Row x(static_cast<std::size_t>(c.dModel), 0.0);
    for (Index j = 0; j < c.dModel; ++j) {
      for (Index id = 0; id < words.dim(0); ++id) {
        x[static_cast<std::size_t>(j)] +=
            double{words.at({id, j})} / static_cast<double>(words.dim(0));
      }
      x[static_cast<std::size_t>(j)] += double{embedding->positions.at({place, j})};
    }
    streams.push_back(normalisedRow(std::move(x), layer->attentionNorm, c.normEpsilon));
  }
  const auto& w = layer->attention;
  const Row query = projected(streams.back(), w.wQ, w.bQ, first, c.headDim);
  Row scores;
  for (const Row& stream : streams) {
    const Row key = projected(stream, w.wK, w.bK, first, c.headDim);
    double score = 0.0;
    for (std::size_t i = 0; i < key.size(); ++i) score += query[i] * key[i];
    scores.push_back(score / std::sqrt(static_cast<double>(c.headDim)));
  }
  const double largest = *std::ranges::max_element(scores);
  double total = 0.0;
  for (double& score : scores) total += score = std::exp(score - largest);
  for (double& score : scores) score /= total;
  return scores;
}

TEST(PositionPatterns, AreTheWeightsOverTheMeanEmbedding) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const auto looks = positionLooks(model, 3, {}).value();
  ASSERT_EQ(looks.size(), static_cast<std::size_t>(model->config().layers * model->config().heads));
  for (const PositionLook& look : looks) {
    const Row row = lastRow(*model, look.head, 3);  // the only token that counts
    EXPECT_NEAR(look.first, row[0], 1e-5) << look.head.layer << '.' << look.head.head;
    EXPECT_NEAR(look.previous, row[1], 1e-5) << look.head.layer << '.' << look.head.head;
    EXPECT_NEAR(look.self, row[2], 1e-5) << look.head.layer << '.' << look.head.head;
  }
}

TEST(PositionPatterns, OneHeadHasTheWeightsOfItsLooks) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const auto looks = positionLooks(model, 6, {}).value();
  for (const PositionLook& look : looks) {
    const Tensor pattern = positionPattern(model, look.head, 6, {});
    double previous = 0.0;
    for (Index row = 2; row < 6; ++row) previous += double{pattern.at({row, row - 1})} / 4.0;
    EXPECT_NEAR(previous, look.previous, 1e-6);
  }
  expectUserError([&] { positionPattern(model, {0, 9}, 6, {}); }, "head 9");
}

/// The head of the shipped model that finds the previous letter goes by position; those that find
/// an equal one do not.
TEST(PositionPatterns, TellAHeadByPositionFromOneByWords) {
  const ModelPtr model = formats::openModel(formats::kInductionModel, kBudgetBytes);
  const auto looks = positionLooks(model, 16, {}).value();
  const auto previous = std::ranges::max_element(looks, {}, &PositionLook::previous);
  EXPECT_GT(previous->previous, 0.9);
  EXPECT_EQ(previous->head.layer, 0);
  std::vector<Index> ids;
  for (Index i = 0; i < 8; ++i) ids.push_back(3 + i);
  ids.insert(ids.end(), {3, 4, 5, 6});
  const auto trace = runModel(makeModelDocument(model, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
  const auto shares = sharesByPosition(*trace, {}).value();
  EXPECT_GT(shares[placeOf(previous->head, model->config())], 0.9);
  EXPECT_LT(*std::ranges::min_element(shares), 0.5);
}

TEST(PositionPatterns, RefusesWhatHasNone) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  expectUserError([&] { positionLooks(model, 2, {}); }, "2 tokens", "3 to ");
  expectUserError([&] { positionLooks(model, 100000, {}); }, "100000 tokens");
  const ModelPtr images = formats::openModel(modelData("image_models/vit"), kBudgetBytes);
  EXPECT_FALSE(hasPositionPatterns(*images));
  expectUserError([&] { positionLooks(images, 8, {}); }, "reads images");
}

}  // namespace
}  // namespace headscope::test::models
