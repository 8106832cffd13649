// Scores, and what heads add, taken apart by their writers: in every family the parts add up to the
// numbers of the pass.
#include "core/model/score_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/head_output.h"
#include "core/model/logit_parts.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

/// Rounding of float32 over a few products, relative to the largest part.
constexpr double kClosing = 3e-5;

const std::vector<Index> kTakenIds{5, 17, 3, 40, 5, 17, 9};

class TakenApart : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = modelFolder(GetParam());
    trace = runModel(documentOf(formats::openModel(folder, kBudgetBytes), kTakenIds), nullptr, {},
                     kBudgetBytes);
  }
  Index lastLayer() const { return trace->layers() - 1; }

  ModelTracePtr trace;
};
INSTANTIATE_TEST_SUITE_P(Models, TakenApart, testing::ValuesIn(everyModel()), modelTestName);

double rowSum(const Matrix64& matrix, Index row) {
  const auto numbers = matrix.row(row);
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}
double columnSum(const Matrix64& matrix, Index col) {
  double sum = 0.0;
  for (Index row = 0; row < matrix.rows; ++row) sum += matrix(row, col);
  return sum;
}

double sumOf(const std::vector<WrittenPart>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const WrittenPart& part) { return sum + part.value; });
}
double largestOf(const std::vector<WrittenPart>& parts) {
  double most = 1e-3;
  for (const WrittenPart& part : parts) most = std::max(most, std::abs(part.value));
  return most;
}

TEST_P(TakenApart, TheStreamIsTheSumOfItsWriters) {
  for (const Index layer : {Index{0}, Index{1}, lastLayer() + 1}) {
    const StreamParts parts = streamParts(*trace, layer, 4);
    ASSERT_EQ(std::ssize(parts.writers), parts.rows.rows);
    const double most = parts.rows.largest();
    const auto stream = trace->hidden(2 * layer).matrix({0}).row(4);
    for (Index j = 0; j < trace->config().dModel; ++j) {
      EXPECT_NEAR(columnSum(parts.rows, j),
                  static_cast<double>(stream[static_cast<std::size_t>(j)]), kClosing * most)
          << "layer " << layer << ", coordinate " << j;
    }
  }
}

TEST_P(TakenApart, AScoreIsTheSumOverPairsOfWriters) {
  for (const HeadOfLayer head :
       {HeadOfLayer{0, 1}, HeadOfLayer{1, 0}, HeadOfLayer{lastLayer(), 2}}) {
    for (const auto& [query, key] : {std::pair<Index, Index>{5, 2}, {3, 3}, {6, 1}}) {
      const ScoreParts parts = scoreParts(*trace, head, query, key);
      const double most = std::max(1e-3, parts.values.largest());
      EXPECT_NEAR(parts.sum, parts.score, kClosing * most)
          << "layer " << head.layer << ", head " << head.head << ", " << query << " to " << key;
      // as the pass has it, where nothing else follows
      const TracePtr attention = trace->layer(head.layer);
      if (attention->config().switches->scoreCap == 0.0) {
        const float score = attention->value({TensorId::scores, 0, head.head, query, key});
        EXPECT_NEAR(parts.score - parts.bias, static_cast<double>(score), 1e-4);
      }
      // seen from one side, the other side's parts are summed
      const auto ofQuery = partsOf(*trace, readingOfQuery(*trace, head, query, key));
      const auto ofKey = partsOf(*trace, readingOfKey(*trace, head, query, key));
      for (std::size_t i = 0; i < ofQuery.size(); ++i) {
        const double sum = rowSum(parts.values, static_cast<Index>(i));
        EXPECT_NEAR(ofQuery[i].value, sum, 3 * kClosing * most) << i;
      }
      for (std::size_t i = 0; i < ofKey.size(); ++i) {
        const double sum = columnSum(parts.values, static_cast<Index>(i));
        EXPECT_NEAR(ofKey[i].value, sum, 3 * kClosing * most) << i;
      }
      // with one writer of the other side, single entries
      const Index last = std::ssize(ofQuery) - 1;
      const auto pair = partsOf(
          *trace,
          readingOfKey(*trace, head, query, key, parts.queries[static_cast<std::size_t>(last)]));
      for (std::size_t i = 0; i < pair.size(); ++i) {
        EXPECT_NEAR(pair[i].value, parts.values(last, static_cast<Index>(i)), 3 * kClosing * most);
      }
    }
  }
}

/// A head's part of a number is a sum over the tokens that it attends to, and each of these a sum
/// over the writers there.
TEST_P(TakenApart, WhatAHeadAddsIsASumOverTokensAndTheirWriters) {
  StreamReading reading{trace->layers(), 5, {}, 0.5};
  for (Index j = 0; j < trace->config().dModel; ++j) {
    reading.along.push_back(std::sin(static_cast<double>(3 * j + 1)));
  }
  const auto parts = partsOf(*trace, reading);
  double value = reading.constant;
  const auto stream = trace->hidden(2 * trace->layers()).matrix({0}).row(5);
  for (Index j = 0; j < trace->config().dModel; ++j) {
    value += reading.along[static_cast<std::size_t>(j)] *
             static_cast<double>(stream[static_cast<std::size_t>(j)]);
  }
  EXPECT_NEAR(sumOf(parts), value, 10 * kClosing * largestOf(parts));
  for (const HeadOfLayer head : {HeadOfLayer{0, 1}, HeadOfLayer{1, 3}}) {
    const HeadSources sources = headSources(*trace, reading, head);
    const auto own = std::ranges::find_if(parts, [&](const WrittenPart& part) {
      return part == Writer{WriterKind::head, head.layer, head.head};
    });
    ASSERT_NE(own, parts.end());
    EXPECT_NEAR(sources.sum, own->value, kClosing * largestOf(parts));
    for (const Index source : {Index{0}, Index{3}, Index{5}}) {
      const auto written = partsOf(*trace, readingOfValue(*trace, reading, head, source));
      EXPECT_NEAR(sumOf(written), sources.values[static_cast<std::size_t>(source)],
                  3 * kClosing * largestOf(written))
          << source;
    }
  }
}

TEST(ScoreParts, ContentAndPositionAreWritersOfTheirOwn) {
  const ModelTracePtr trace =
      runModel(makeModelDocument(formats::openModel(modelData("tiny-gpt2"), kBudgetBytes),
                                 {kTakenIds, {}, {}}),
               nullptr, {}, kBudgetBytes);
  const ScoreParts parts = scoreParts(*trace, {0, 0}, 4, 0);
  EXPECT_EQ(parts.queries, (std::vector<Writer>{
                               {WriterKind::biases}, {WriterKind::token}, {WriterKind::position}}));
  // the token is the same at places 0 and 4: only what positions and factors of norms differ by
  const ScoreParts later = scoreParts(*trace, {1, 2}, 4, 0);
  EXPECT_EQ(std::ssize(later.keys), 3 + 4 + 1 + 1);
  EXPECT_EQ(later.keys.back(), (Writer{WriterKind::feedForward, 0}));
  expectUserError([&] { scoreParts(*trace, {2, 0}, 1, 0); }, "no layer 2");
  expectUserError([&] { scoreParts(*trace, {1, 0}, 7, 0); }, "no token 7");
}

}  // namespace
}  // namespace headscope::test::models
