// The token that follows a text, by the logits and by a model's rules.
#include "core/model/token_choice.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "core/model/model_config.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

constexpr std::array kLogits{1.0F, 3.0F, 2.0F, -1.0F};

ModelConfig withRules(Index first, Index last, std::vector<Index> never) {
  ModelConfig config;
  config.target = {.start = 0, .forcedFirst = first, .forcedEnd = last, .never = std::move(never)};
  return config;
}

double probabilityOf(std::size_t id) {
  double total = 0.0;
  for (const float logit : kLogits) total += std::exp(static_cast<double>(logit));
  return std::exp(static_cast<double>(kLogits[id])) / total;
}

std::string inWords(const ChosenToken& token) {
  return ruleInWords(token, [](Index id) { return "t" + std::to_string(id); });
}

TEST(TokenChoice, AForcedTokenHasItsProbabilityByTheLogits) {
  const ModelConfig config = withRules(3, 0, {});
  const ChosenToken first = nextToken(kLogits, config, {}, {0, 5, 1});
  EXPECT_EQ(first.id, 3);
  EXPECT_TRUE(first.forced());
  EXPECT_NEAR(first.probability, probabilityOf(3), 1e-12);
  EXPECT_EQ(inWords(first), "forced: first");
  const ChosenToken last = nextToken(kLogits, config, {}, {4, 5, 5});
  EXPECT_EQ(last.id, 0);
  EXPECT_EQ(inWords(last), "forced: last");
  // a text that is under way is not begun again
  const ChosenToken between = nextToken(kLogits, config, {}, {0, 5, 2});
  EXPECT_EQ(between.id, 1);
  EXPECT_FALSE(between.forced());
  EXPECT_EQ(inWords(between), "");
  ASSERT_EQ(followers(kLogits, config, {0, 5, 1}, 4).size(), 1U);
  EXPECT_NEAR(followers(kLogits, config, {0, 5, 1}, 4).front().probability, probabilityOf(3),
              1e-12);
}

TEST(TokenChoice, ABarredTokenIsNamedWhereItIsMoreProbable) {
  const ModelConfig config = withRules(-1, -1, {0, 1});
  const ChosenToken chosen = nextToken(kLogits, config, {}, {0, 5, 1});
  EXPECT_EQ(chosen.id, 2);
  EXPECT_NEAR(chosen.probability, probabilityOf(2), 1e-12);
  EXPECT_EQ(chosen.rule, TokenRule::barred);
  EXPECT_EQ(chosen.barred.id, 1);
  EXPECT_NEAR(chosen.barred.probability, probabilityOf(1), 1e-12);
  EXPECT_EQ(inWords(chosen), "barred: “t1”, p 0.657");
  const std::vector<ChosenToken> all = followers(kLogits, config, {0, 5, 1}, 4);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, 2);
  EXPECT_EQ(all[1].id, 3);
  EXPECT_EQ(all[1].barred.id, 1);
  EXPECT_EQ(nextToken(kLogits, withRules(-1, -1, {0}), {}, {0, 5, 1}).rule, TokenRule::none)
      << "0 is less probable than the token that is chosen";
}

}  // namespace
}  // namespace headscope::test::models
