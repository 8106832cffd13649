#include "core/attention/config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/attention/switches.h"
#include "tests/core/support/cases.h"

namespace headscope::test {
namespace {

/// The one problem of a configuration, which must concern `field` and say every one of `parts`.
void expectProblem(const AttentionConfig& config, const std::string& field,
                   const std::vector<std::string>& parts,
                   const std::vector<std::int64_t>& suggestions = {}) {
  const auto problems = validate(config);
  ASSERT_EQ(problems.size(), 1U) << field;
  EXPECT_EQ(problems[0].field, field);
  for (const std::string& part : parts) {
    EXPECT_NE(problems[0].message.find(part), std::string::npos)
        << "\"" << part << "\" is not in: " << problems[0].message;
  }
  if (!suggestions.empty()) {
    EXPECT_EQ(problems[0].suggestions, suggestions);
  }
}

template <typename Change>
AttentionConfig changedConfig(Change change) {
  return with(sized(512, 8, 6), change);
}

TEST(Config, EveryCaseIsValid) {
  for (const Case& c : allCases()) {
    EXPECT_TRUE(validate(c.config).empty()) << c.name;
  }
}

TEST(Config, DerivedDimensions) {
  const AttentionConfig c = sized(64, 8, 9, 2);
  EXPECT_EQ(c.dK(), 8);
  EXPECT_EQ(c.dKv(), 16);
  EXPECT_EQ(c.keys(), 9);
  EXPECT_EQ(c.kvHead(3), 0);
  EXPECT_EQ(c.kvHead(4), 1);
  EXPECT_EQ(c.kvWidth(), 64);
  EXPECT_FLOAT_EQ(c.scoreMultiplier(), 1.0F / std::sqrt(8.0F));
  EXPECT_FLOAT_EQ(with(c, [](auto& d) { d.switches->temperature = 0.5; }).scoreMultiplier(),
                  2.0F / std::sqrt(8.0F));
  EXPECT_EQ(with(c, [](auto& d) { d.switches->scale = false; }).scoreMultiplier(), 1.0F);
}

TEST(Config, SevenHeadsOf512NameTheNearestThatDivide) {
  expectProblem(sized(512, 7, 6), "heads",
                {"d_model 512 does not divide into 7 heads", "512 / 7 = 73.14", "4, 8"}, {4, 8});
  expectProblem(sized(512, 1000, 6), "heads", {"256, 512"}, {256, 512});
  expectProblem(sized(7, 3, 6), "heads", {"1, 7"});
}

TEST(Config, NearestHeadCountsComeNearestFirst) {
  EXPECT_EQ(nearestHeadCounts(512, 7), (std::vector<Index>{8, 4}));
  EXPECT_EQ(nearestHeadCounts(512, 8), (std::vector<Index>{8, 16}));
  EXPECT_EQ(nearestHeadCounts(12, 5), (std::vector<Index>{4, 6}));
  EXPECT_EQ(nearestHeadCounts(7, 100), (std::vector<Index>{7, 1}));
  EXPECT_EQ(nearestHeadCounts(1, 5), (std::vector<Index>{1}));
  EXPECT_EQ(nearestHeadCounts(512, 7, 1), (std::vector<Index>{8}));
}

TEST(Config, ZeroNegativeAndAbsurdSizesAreRefused) {
  struct Field {
    const char* name;
    Index AttentionConfig::*member;
  };
  for (const Field& f :
       {Field{"d_model", &AttentionConfig::dModel}, Field{"heads", &AttentionConfig::numHeads},
        Field{"kv_heads", &AttentionConfig::numKvHeads}, Field{"tokens", &AttentionConfig::seqLen},
        Field{"batch", &AttentionConfig::batch}}) {
    for (const Index value : {Index{0}, Index{-3}, std::numeric_limits<Index>::min()}) {
      expectProblem(changedConfig([&](auto& c) { c.*f.member = value; }), f.name,
                    {std::string(f.name) + " is " + std::to_string(value), "at least 1"}, {1});
    }
    for (const Index value : {Index{1'000'000'000}, std::numeric_limits<Index>::max()}) {
      expectProblem(changedConfig([&](auto& c) { c.*f.member = value; }), f.name,
                    {std::string(f.name) + " is " + std::to_string(value), "the maximum is"});
    }
  }
  expectProblem(changedConfig([](auto& c) { c.memoryLen = -1; }), "memory_len",
                {"memory_len is -1"});
  expectProblem(changedConfig([](auto& c) { c.memoryLen = 1'000'000'000; }), "memory_len",
                {"the maximum is"});
  expectProblem(changedConfig([](auto& c) { c.memoryWidth = -1; }), "memory width", {"is -1"});
}

TEST(Config, KeyValueHeadsMustShareEvenly) {
  expectProblem(sized(512, 8, 6, 3), "kv_heads", {"8 heads cannot share 3", "2, 4"});
  expectProblem(sized(512, 8, 6, 16), "kv_heads", {"8 heads cannot share 16"});
}

TEST(Config, TemperatureIsAFiniteNumberAboveZero) {
  for (const double value : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e-300, 3.5e38, 1e308}) {
    expectProblem(changedConfig([&](auto& c) { c.switches->temperature = value; }), "temperature",
                  {"temperature is", "above 0"});
  }
}

TEST(Config, MasksMustFit) {
  expectProblem(changedConfig([](auto& c) { c.mask.window = -1; }), "window", {"window is -1"});
  expectProblem(changedConfig([](auto& c) {
                  c.mask.lengths = {6, 6};
                }),
                "lengths", {"2 values for a batch of 1"});
  expectProblem(changedConfig([](auto& c) { c.mask.lengths = {7}; }), "lengths",
                {"length 7", "6 keys"});
  expectProblem(changedConfig([](auto& c) { c.mask.lengths = {-1}; }), "lengths", {"length -1"});
  expectProblem(changedConfig([](auto& c) {
                  c.mask.painted = painted(2, 3, {1, 1, 1, 1, 1, 1});
                }),
                "mask", {"2 × 3", "6 × 6"});
  EXPECT_TRUE(validate(changedConfig([](auto& c) { c.mask.lengths = {0}; })).empty());
}

TEST(Config, LengthsCountTheMemoryInCrossAttention) {
  const auto cross = [](Index length) {
    return changedConfig([&](auto& c) {
      c.memoryLen = 9;
      c.mask.lengths = {length};
    });
  };
  EXPECT_TRUE(validate(cross(9)).empty());
  expectProblem(cross(10), "lengths", {"9 keys"});
}

TEST(Config, GainsAreOnePerHeadAndFinite) {
  expectProblem(changedConfig([](auto& c) { c.headGains = {1.0F}; }), "gains",
                {"1 gains", "8 heads"});
  expectProblem(changedConfig([](auto& c) {
                  c.headGains.assign(8, 1.0F);
                  c.headGains[2] = std::numeric_limits<float>::infinity();
                }),
                "gains", {"finite"});
}

TEST(Config, AllFindingsAreGivenAtOnce) {
  EXPECT_EQ(validate(changedConfig([](auto& c) {
              c.numHeads = 7;
              c.seqLen = 0;
              c.switches->temperature = 0.0;
            })).size(),
            3U);
}

}  // namespace
}  // namespace headscope::test
