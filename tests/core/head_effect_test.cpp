#include "core/analysis/head_effect.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "core/attention/switches.h"
#include "tests/core/support/head_reference.h"
#include "tests/core/support/patterns.h"

namespace headscope::test {
namespace {

std::vector<DocumentPtr> effectDocuments() {
  std::vector<DocumentPtr> all;
  for (const Case& each : allCases()) all.push_back(randomDocument(each.config));
  for (const Case& each : whatIfCases()) all.push_back(withPins(randomDocument(each.config)));
  for (const Case& each : gateCases()) all.push_back(withPins(randomDocument(each.config)));
  all.push_back(randomDocument(with(sized(32, 4, 300), [](auto& c) { c.mask.causal = true; })));
  return all;
}

TEST(HeadEffect, TermsAndTheBiasAddUpToTheOutput) {
  for (const DocumentPtr& document : effectDocuments()) {
    const TracePtr trace = runAttention(document);
    const AttentionConfig& c = trace->config();
    for (Index item = 0; item < c.batch; ++item) {
      std::vector<double> sum(static_cast<std::size_t>(c.seqLen * c.dModel));
      for (Index h = 0; h < c.numHeads; ++h) {
        const Tensor term = headTerm(*trace, item, h);
        for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += term.data()[n];
      }
      for (std::size_t n = 0; n < sum.size() && c.switches->bias; ++n) {
        sum[n] += trace->tensor(TensorId::bO).at({static_cast<Index>(n) % c.dModel});
      }
      expectClose(trace->tensor(TensorId::output).slice(0, item, item + 1), sum, "output");
    }
  }
}

TEST(HeadEffect, NormsAndSharesAreTheReferences) {
  for (const DocumentPtr& document : effectDocuments()) {
    const TracePtr trace = runAttention(document);
    const AttentionConfig& c = trace->config();
    for (Index item = 0; item < c.batch; ++item) {
      const HeadReference reference(*trace, item);
      const auto effects = headEffects(*trace, item);
      for (Index i = 0; i < c.seqLen; ++i) {
        const auto output = reference.output(i);
        const double length = HeadReference::length(output);
        ASSERT_GT(length, 0.0);
        double sum = *effects->biasShare(i);
        for (Index h = 0; h < c.numHeads; ++h) {
          const auto term = reference.term(h, i);
          const double norm = HeadReference::length(term);
          EXPECT_NEAR(effects->termNorm(h, i), norm, 1e-6 * (norm + length));
          EXPECT_NEAR(*effects->effect(h, i), norm / length, 1e-6 * (1 + norm / length));
          const double share = HeadReference::dot(term, output) / (length * length);
          EXPECT_NEAR(*effects->share(h, i), share, 1e-6 * (1 + norm / length));
          sum += *effects->share(h, i);
        }
        EXPECT_NEAR(sum, 1.0, 1e-5);
      }
    }
  }
}

/// Subtracting a head's part from the output gives the result of a pass without the head, and
/// likewise for other gains; pinned head outputs stay in both.
TEST(HeadEffect, AGainByAdditionIsARealRunWithIt) {
  for (const DocumentPtr& document : effectDocuments()) {
    const TracePtr trace = runAttention(document);
    const AttentionConfig& c = trace->config();
    for (const Index head : {Index{0}, c.numHeads - 1}) {
      for (const float gain : {0.0F, 0.5F, 2.0F}) {
        const TracePtr run = runAttention(changed(document, [&](Document& d) {
          d.config.headGains.resize(static_cast<std::size_t>(c.numHeads), 1.0F);
          d.config.headGains[static_cast<std::size_t>(head)] = gain;
        }));
        for (Index item = 0; item < c.batch; ++item) {
          const auto expected = run->tensor(TensorId::output).slice(0, item, item + 1).values();
          expectClose(outputWithGain(*trace, item, head, gain), expected, "with gain");
          if (gain != 0.0F || !document->pins.empty()) continue;
          std::vector<double> without;
          const Tensor term = headTerm(*trace, item, head);
          const auto output = trace->tensor(TensorId::output).slice(0, item, item + 1).values();
          for (std::size_t n = 0; n < output.size(); ++n) {
            without.push_back(static_cast<double>(output[n]) - static_cast<double>(term.data()[n]));
          }
          expectClose(run->tensor(TensorId::output).slice(0, item, item + 1), without, "without");
        }
      }
    }
  }
}

TEST(HeadEffect, AnOutputOfNoLengthHasNoShares) {
  const auto trace = runAttention(changed(randomDocument(sized(8, 2, 3)), [](Document& d) {
    d.weights.wO = Tensor::zeros({8, 8});
    d.weights.bO = Tensor::zeros({8});
  }));
  const auto effects = headEffects(*trace, 0);
  EXPECT_EQ(effects->effect(0, 1), std::nullopt);
  EXPECT_EQ(effects->share(0, 1), std::nullopt);
  EXPECT_EQ(effects->biasShare(1), std::nullopt);
  EXPECT_EQ(effects->termNorm(0, 1), 0.0);
}

TEST(HeadEffect, TheBlocksOfWOAreItsRows) {
  const auto trace = runAttention(randomDocument(sized(12, 3, 2)));
  const auto norms = outputBlockNorms(*trace);
  ASSERT_EQ(norms.size(), 3U);
  for (Index h = 0; h < 3; ++h) {
    double squares = 0.0;
    for (Index o = 0; o < 12; ++o) {
      for (Index d = 0; d < 4; ++d) {
        squares += std::pow(trace->value({TensorId::wO, -1, -1, o, h * 4 + d}), 2);
      }
    }
    EXPECT_NEAR(norms[static_cast<std::size_t>(h)], std::sqrt(squares), 1e-6);
  }
}

TEST(HeadEffect, GivesNothingWhereCancelled) {
  const std::atomic<bool> cancelled{true};
  const auto trace = runAttention(randomDocument(sized(8, 2, 4)));
  EXPECT_FALSE(headEffects(*trace, 0, {0, &cancelled, nullptr}).has_value());
}

}  // namespace
}  // namespace headscope::test
