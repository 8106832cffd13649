// The numbers of switching heads off, without the page: bars over tokens, shares, axes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "app/ui/heads/effects.h"
#include "app_driver.h"
#include "core/analysis/head_effect.h"
#include "core/document/attention.h"

namespace headscope::ui {
namespace {

TEST(HeadsOffNumbers, BarsCoverEveryTokenOnce) {
  for (const Index tokens : {1, 2, 7, 30, 4096}) {
    for (const Index most : {1, 3, 30, 512, 5000}) {
      const ChartBars bars = ChartBars::fitting(tokens, 3.0F * static_cast<float>(most), 3.0F);
      EXPECT_LE(bars.count(), most);
      EXPECT_EQ(bars.several(), most < tokens);
      EXPECT_EQ(bars.perBar, (tokens + most - 1) / most);
      Index next = 0;  // the first token of the next bar
      for (Index bar = 0; bar < bars.count(); ++bar) {
        EXPECT_EQ(bars.begin(bar), next);
        EXPECT_GT(bars.end(bar), next);
        next = bars.end(bar);
      }
      EXPECT_EQ(next, tokens);
    }
  }
}

TEST(HeadsOffNumbers, ABarOfSeveralTokensIsTheirMeanOrTheLargest) {
  const HeadEffects effects =
      headEffects(*runAttention(presetDocument("original-transformer")), 0).value();
  const double a = *effects.effect(2, 1);
  const double b = *effects.effect(2, 2);
  EXPECT_DOUBLE_EQ(*percentWithout(effects, 2, 1, 3, Pooling::mean), 50.0 * (a + b));
  EXPECT_DOUBLE_EQ(*percentWithout(effects, 2, 1, 3, Pooling::maximum), 100.0 * std::max(a, b));
  const auto largest = largestEffect(effects, 2);
  ASSERT_TRUE(largest);
  for (Index i = 0; i < 6; ++i) EXPECT_LE(100.0 * *effects.effect(2, i), largest->percent);
  EXPECT_DOUBLE_EQ(100.0 * *effects.effect(2, largest->token), largest->percent);
  const ShareBars bars = shareBars(effects, ChartBars{6, 3});
  ASSERT_EQ(bars.shares.size(), 2U);
  EXPECT_NEAR(bars.shares[1][4],
              (*effects.share(4, 3) + *effects.share(4, 4) + *effects.share(4, 5)) / 3.0, 1e-12);
  for (const auto& all : bars.shares) {
    EXPECT_NEAR(std::accumulate(all.begin(), all.end(), 0.0), 1.0, 1e-5);
  }
}

TEST(HeadsOffNumbers, AxesEndAtRoundNumbers) {
  EXPECT_EQ(tickStep(2.7, 5.0), 1.0);
  EXPECT_EQ(tickStep(10.0, 5.0), 2.0);
  EXPECT_NEAR(tickStep(0.3, 6.0), 0.05, 1e-15);
  EXPECT_EQ(roundTicks(0.0, 19.7), (std::vector<double>{0, 5, 10, 15, 20}));
  EXPECT_EQ(roundTicks(0.0, 20.0), (std::vector<double>{0, 5, 10, 15, 20}));
  EXPECT_EQ(roundTicks(0.0, 130.0), (std::vector<double>{0, 50, 100, 150}));
  EXPECT_EQ(roundTicks(0.0, 0.0), (std::vector<double>{0, 1}));
  EXPECT_EQ(roundTicks(-0.3, 1.2), (std::vector<double>{-0.5, 0, 0.5, 1, 1.5}));
}

}  // namespace
}  // namespace headscope::ui
