#include "core/loops.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/attention.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

constexpr double kAtOnce = 0.0;  // late after every piece

/// Two loops and what follows them; and what was done, in order.
struct TwoLoops {
  TwoLoops() {
    loops.add({3, [this](Index piece) { done.push_back(piece); }, [this] { done.push_back(100); }});
    loops.add({2, [this](Index piece) { done.push_back(10 + piece); }});
    loops.then([this] { done.push_back(200); });
  }
  std::vector<Index> done;
  Loops loops;
};

TEST(Loops, EndInOneGo) {
  TwoLoops two;
  EXPECT_TRUE(two.loops.goOn({}));
  EXPECT_EQ(two.done, (std::vector<Index>{0, 1, 2, 100, 10, 11, 200}));
  EXPECT_TRUE(two.loops.goOn({}));
  EXPECT_EQ(two.done.size(), 7U);
}

TEST(Loops, AreLeftOffBetweenPiecesAndGoneOnWith) {
  TwoLoops two;
  EXPECT_FALSE(two.loops.goOn({}, kAtOnce));
  EXPECT_EQ(two.done, (std::vector<Index>{0}));
  EXPECT_FALSE(two.loops.goOn({}, kAtOnce));
  EXPECT_EQ(two.done, (std::vector<Index>{0, 1}));
  EXPECT_FALSE(two.loops.goOn({}, kAtOnce));
  EXPECT_EQ(two.done, (std::vector<Index>{0, 1, 2, 100}));
  EXPECT_FALSE(two.loops.goOn({}, kAtOnce));
  EXPECT_EQ(two.done, (std::vector<Index>{0, 1, 2, 100, 10}));
  EXPECT_FALSE(two.loops.goOn({}, kAtOnce));
  EXPECT_EQ(two.done, (std::vector<Index>{0, 1, 2, 100, 10, 11}));
  EXPECT_TRUE(two.loops.goOn({}, kAtOnce));
  EXPECT_EQ(two.done, (std::vector<Index>{0, 1, 2, 100, 10, 11, 200}));
}

TEST(Loops, StopWhereCancelled) {
  TwoLoops two;
  const std::atomic<bool> cancelled = true;
  EXPECT_FALSE(two.loops.goOn({.cancelled = &cancelled}));
  EXPECT_FALSE(two.loops.goOn({.cancelled = &cancelled}, kAtOnce));
  EXPECT_TRUE(two.done.empty());
}

TEST(Loops, SayWhatAPieceThrew) {
  Loops loops;
  loops.add({1, [](Index) { throw std::runtime_error("no"); }});
  EXPECT_THROW(loops.goOn({}), std::runtime_error);
}

TEST(Loops, MeasureHeadsInPartsAsInOneGo) {
  const TracePtr trace = runAttention(randomDocument(sized(16, 4, 40)));
  const Execution execution;
  for (const ItemChoice item : {ItemChoice(0), ItemChoice()}) {
    HeadReport report;
    Loops loops;
    addHeadReport(loops, *trace, item, {}, execution, report);
    int parts = 1;
    while (!loops.goOn(execution, kAtOnce)) ++parts;
    EXPECT_GT(parts, 20);
    const HeadReport whole = *headReport(*trace, item, {});
    EXPECT_EQ(report.similarity.values, whole.similarity.values);
    for (std::size_t h = 0; h < whole.metrics.size(); ++h) {
      EXPECT_EQ(report.labels[h].rule, whole.labels[h].rule);
      for (const MetricInfo& m : allMetrics()) {
        EXPECT_EQ(report.metrics[h][m.metric], whole.metrics[h][m.metric]);
      }
    }
  }
}

}  // namespace
}  // namespace headscope::test
