#include "core/training/roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/training/task.h"

namespace headscope::test {
namespace {

using namespace training;
using Masses = std::vector<std::vector<double>>;
using Heads = std::vector<std::optional<Index>>;

/// Two examples of two places each. Relation 0 leads from the second place to the first; relation 1
/// from the first place of the first example to both of its places; relation 2 has no partners.
Examples twoOfTwo() {
  Examples examples;
  examples.count = 2;
  examples.length = 2;
  examples.partners = {
      {0, 0, 1, 0, 0, 0, 1, 0}, {1, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}};
  return examples;
}

/// The weights of two heads, (2, 2, 2, 2): example, head, query, key.
Tensor twoHeads() {
  return Tensor::fromValues({2, 2, 2, 2}, std::vector<float>{1.0F, 0.0F, 0.875F, 0.125F,  //
                                                             0.5F, 0.5F, 0.5F, 0.5F,      //
                                                             0.0F, 1.0F, 0.625F, 0.375F,  //
                                                             0.5F, 0.5F, 0.5F, 0.5F});
}

TEST(Roles, AreMeasuredAsByHand) {
  const std::vector<Tensor> weights{twoHeads()};
  const Roles roles = *rolesOf(weights, twoOfTwo());
  ASSERT_EQ(roles.layers.size(), 1U);
  const LayerRoles& layer = roles.layers.front();
  EXPECT_EQ(layer.mass[0][0], (0.875 + 0.625) / 2);
  EXPECT_EQ(layer.mass[1][0], 0.5);
  EXPECT_EQ(layer.mass[0][1], 1.0) << "the sum over both partners, of the one row that has some";
  EXPECT_EQ(layer.mass[1][1], 1.0);
  EXPECT_TRUE(std::isnan(layer.mass[0][2]));

  const auto entropy = [](double p) { return -p * std::log2(p) - (1 - p) * std::log2(1 - p); };
  EXPECT_NEAR(layer.entropy[0], (entropy(0.125) + entropy(0.375)) / 4, 1e-6);
  EXPECT_NEAR(layer.entropy[1], 1.0, 1e-6);
  // the mean row's entropy less the mean of both rows', for rows (1, 0), (7/8, 1/8), (0, 1) …
  const double apart = 2 * (entropy(0.25) - 0.5) +  //
                       (entropy(0.3125) - (entropy(0.125) + 1) / 2) +
                       (entropy(0.4375) - (entropy(0.375) + 1) / 2);
  EXPECT_NEAR(layer.similarity(0, 1), 1.0 - apart / 4, 1e-6);

  ASSERT_EQ(roles.relations.size(), 3U);
  EXPECT_EQ(roles.relations[0].head, (HeadOfLayer{0, 0}));
  EXPECT_EQ(roles.relations[0].mass, 0.75);
  EXPECT_TRUE(roles.relations[0].found);
  EXPECT_EQ(roles.relations[1].head, (HeadOfLayer{0, 1}));
  EXPECT_TRUE(roles.relations[1].found);
  EXPECT_EQ(roles.relations[2].head, std::nullopt) << "no row to tell by";
  EXPECT_FALSE(roles.relations[2].found);
}

/// Fills the weights of one head: `share` goes to one partner of each row by a relation and the
/// rest is spread; a row without a partner is even.
void look(const Examples& examples, std::size_t relation, float share, const MatrixView& rows,
          Index example) {
  const Index length = examples.length;
  for (Index i = 0; i < length; ++i) {
    const std::uint8_t* partners =
        examples.partners[relation].data() + (example * length + i) * length;
    const std::uint8_t* first = std::find(partners, partners + length, 1);
    const bool some = first != partners + length;
    const float rest = (some ? 1.0F - share : 1.0F) / static_cast<float>(length);
    for (Index j = 0; j < length; ++j) rows(i, j) = rest;
    if (some) rows(i, first - partners) += share;
  }
}

/// The weights of a layer whose heads look by these relations, with these shares.
Tensor layerOf(const Examples& examples, const std::vector<std::pair<std::size_t, float>>& heads) {
  Tensor weights =
      Tensor::uninitialised({examples.count, std::ssize(heads), examples.length, examples.length});
  for (Index n = 0; n < examples.count; ++n) {
    for (std::size_t h = 0; h < heads.size(); ++h) {
      look(examples, heads[h].first, heads[h].second,
           weights.mutableMatrix({n, static_cast<Index>(h)}), n);
    }
  }
  return weights;
}

TEST(Roles, AreFoundInWhicheverLayerTheyAre) {
  Draws draws(1, "examples");
  const Examples cards = taskFromString("cards").examples(8, draws);
  const std::vector<Tensor> weights{layerOf(cards, {{3, 0.8F}, {2, 1.0F}}),
                                    layerOf(cards, {{0, 0.5F}, {1, 0.9F}, {0, 0.95F}})};
  const Roles roles = *rolesOf(weights, cards);
  ASSERT_EQ(roles.relations.size(), 4U);
  const HeadOfLayer expected[] = {{1, 2}, {1, 1}, {0, 1}, {0, 0}};
  const double masses[] = {0.95, 0.9, 1.0, 0.8};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(roles.relations[r].head, expected[r]);
    EXPECT_TRUE(roles.relations[r].found);
    EXPECT_NEAR(roles.relations[r].mass, masses[r] + (1 - masses[r]) / 16, 1e-6);
  }
  EXPECT_GT(roles.layers[1].similarity(0, 2), roles.layers[1].similarity(0, 1));
}

TEST(Roles, AreTheSameBitsOnEveryThreadCountAndMayBeCancelled) {
  Draws draws(1, "examples");
  const Examples cards = taskFromString("cards").examples(64, draws);
  const std::vector<Tensor> weights{
      layerOf(cards, {{3, 0.8F}, {2, 1.0F}, {1, 0.3F}, {0, 0.1F}, {0, 0.6F}})};
  ExecutionContext execution;
  execution.threads = 1;
  const Roles one = *rolesOf(weights, cards, execution);
  execution.threads = 4;
  const Roles four = *rolesOf(weights, cards, execution);
  EXPECT_EQ(one.layers[0].mass, four.layers[0].mass);
  EXPECT_EQ(one.layers[0].entropy, four.layers[0].entropy);
  EXPECT_EQ(one.layers[0].similarity.values, four.layers[0].similarity.values);

  const std::atomic<bool> cancelled{true};
  execution.cancelled = &cancelled;
  EXPECT_FALSE(rolesOf(weights, cards, execution));
}

TEST(BestHeads, AreNotTheGreedyOnes) {
  EXPECT_EQ(bestHeads({{0.9, 0.8}, {0.7, 0.1}}, 2), (Heads{1, 0}));
}

TEST(BestHeads, FindAsManyAsCanBeFoundFirst) {
  // as they lie the sum is larger, but one relation of the two is found
  EXPECT_EQ(bestHeads({{0.99, 0.60}, {0.60, 0.59}}, 2), (Heads{1, 0}));
  EXPECT_EQ(bestHeads({{0.99, 0.59}, {0.59, 0.58}}, 2), (Heads{0, 1}));
}

TEST(BestHeads, AreForTheLikeliestWhereThereAreTooFew) {
  EXPECT_EQ(bestHeads({{0.2, 0.7, 0.4}}, 3), (Heads{std::nullopt, 0, std::nullopt}));
  EXPECT_EQ(bestHeads({}, 2), (Heads{std::nullopt, std::nullopt}));
}

TEST(BestHeads, AreNoneWhereNothingWasMeasured) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(bestHeads({{none, 0.1}, {none, 0.2}}, 2), (Heads{std::nullopt, 1}));
  EXPECT_EQ(bestHeads({{0.0, 0.0}, {0.0, 0.0}}, 2).front().has_value(), true);
}

/// Tries every assignment of the relations from `r` on to free heads; returns the largest number
/// found and its sum.
std::pair<int, double> bestOf(const Masses& mass, std::size_t relations, std::size_t r,
                              std::vector<bool>& taken) {
  if (r == relations) return {0, 0.0};
  std::pair<int, double> best = bestOf(mass, relations, r + 1, taken);
  for (std::size_t h = 0; h < mass.size(); ++h) {
    if (taken[h]) continue;
    taken[h] = true;
    auto [found, sum] = bestOf(mass, relations, r + 1, taken);
    taken[h] = false;
    found += mass[h][r] >= kFoundMass ? 1 : 0;
    best = std::max(best, {found, sum + mass[h][r]});
  }
  return best;
}

TEST(BestHeads, AreThoseOfTryingAll) {
  Draws draws(3, "masses");
  for (int turn = 0; turn < 300; ++turn) {
    const auto heads = static_cast<std::size_t>(1 + draws.below(6));
    const auto relations = static_cast<std::size_t>(1 + draws.below(4));
    Masses mass(heads, std::vector<double>(relations));
    for (auto& row : mass) {
      for (double& m : row) m = draws.uniform();
    }
    const Heads chosen = bestHeads(mass, static_cast<Index>(relations));
    std::pair<int, double> worth{0, 0.0};
    std::vector<bool> taken(heads, false);
    for (std::size_t r = 0; r < relations; ++r) {
      if (!chosen[r]) continue;
      const auto h = static_cast<std::size_t>(*chosen[r]);
      ASSERT_FALSE(taken[h]) << "a head of its own";
      taken[h] = true;
      worth.first += mass[h][r] >= kFoundMass ? 1 : 0;
      worth.second += mass[h][r];
    }
    std::vector<bool> free(heads, false);
    const auto best = bestOf(mass, relations, 0, free);
    EXPECT_EQ(worth.first, best.first);
    EXPECT_NEAR(worth.second, best.second, 1e-12);
  }
}

}  // namespace
}  // namespace headscope::test
