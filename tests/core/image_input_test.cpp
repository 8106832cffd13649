// Series that are the patches of an image: their tokens, their coordinates, the heads that are
// designed for them, and the metrics on their grid.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/analysis/head_metrics.h"
#include "core/document/attention.h"
#include "core/input/embedding.h"
#include "core/input/training_domain.h"
#include "core/presets/presets.h"
#include "core/training/relations.h"
#include "tests/core/support/designed.h"

namespace headscope::test {
namespace {

constexpr Index kSide = 14, kPatches = kSide * kSide;

DocumentPtr image(Index dModel = 768, Index heads = 12) {
  return designed(window("patches"), sized(dModel, heads, 1));
}

Index columnNamed(const Input& input, const std::string& name) {
  const auto found = std::find(input.coordinates.begin(), input.coordinates.end(), name);
  EXPECT_NE(found, input.coordinates.end()) << name;
  return found - input.coordinates.begin();
}

TEST(ImageInput, TokensAreNamedByTheirPlaces) {
  const DocumentPtr document = image();
  const Input& input = *document->input;
  ASSERT_EQ(input.tokens.front().size(), kPatches + 1U);
  EXPECT_EQ(input.tokens[0][0], "class");
  EXPECT_EQ(input.tokens[0][1], "patch 1,1");
  EXPECT_EQ(input.tokens[0][15], "patch 2,1");
  EXPECT_EQ(input.tokens[0].back(), "patch 14,14");
  EXPECT_EQ(input.patches, (PatchGrid{1, kSide, kSide}));
  EXPECT_EQ(input.patches.neighbour(1, 1, 0), 15);
  EXPECT_EQ(input.patches.neighbour(1, 0, -1), -1);
  EXPECT_EQ(input.patches.neighbour(0, 1, 0), -1);
  EXPECT_FALSE(trainingDomainOf(*document->source));
}

TEST(ImageInput, RowsAndColumnsArePairsOfTheirOwn) {
  const DocumentPtr document = image();
  const Input& input = *document->input;
  EXPECT_EQ(std::ranges::count(input.coordinates, "slow position"), 0);
  EXPECT_EQ(std::ranges::count(input.coordinates, "row"), 0);
  const Index patch = 1 + 3 * kSide + 5;  // row 3, column 5
  for (const auto& [axis, place] : {std::pair("row", 3.0), std::pair("column", 5.0)}) {
    for (const Index pair : {0, 27}) {
      const double angle = positionFrequency(pair) * place;
      const auto at = [&](const char* wave, Index token) {
        return input.x.at(
            {0, token, columnNamed(input, fmt::format("{} ω{} {}", wave, pair + 1, axis))});
      };
      EXPECT_NEAR(at("cos", patch), std::cos(angle), 1e-6);
      EXPECT_NEAR(at("sin", patch), std::sin(angle), 1e-6);
      EXPECT_EQ(at("cos", 0), 0.0F);
    }
  }
  const Index flag = columnNamed(input, "class token");
  EXPECT_EQ(input.x.at({0, 0, flag}), 1.0F);
  EXPECT_EQ(input.x.at({0, patch, flag}), 0.0F);
}

/// Without all patches there is no grid, and each patch still has its name.
TEST(ImageInput, APartOfAnImageHasNoGrid) {
  AttentionConfig config = sized(64, 2, 20);
  const DocumentPtr cut = makeDocument("", config, window("patches"), Positions::named,
                                       {WeightInit::xavier, 1, {}}, kBudget, true);
  EXPECT_FALSE(cut->input->patches.on());
  EXPECT_EQ(cut->input->tokens[0].back(), "patch 2,5");
  const auto metrics = headMetrics(*runAttention(cut), 0).value();
  EXPECT_EQ(metrics.front()[Metric::sameRow].why, "the tokens are no patches of an image");
}

/// Over all patches, the mean weight of a head on what it is made for.
TEST(ImageInput, DesignedHeadsLookAtTheirPatches) {
  const DocumentPtr document = image();
  const TracePtr trace = runAttention(document);
  const auto heads = designedHeads(*document);
  const auto relations = declaredRelations(*document);
  const auto metrics = headMetrics(*trace, 0).value();
  std::map<std::string, std::size_t> by;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    EXPECT_FALSE(heads[h].drawn) << h << heads[h].why;
    EXPECT_EQ(heads[h].why, "") << heads[h].title;
    by[heads[h].title] = h;
  }
  const auto weight = [&](const std::string& title, Index query, Index key) {
    return trace->value({TensorId::weights, 0, static_cast<Index>(by.at(title)), query, key});
  };
  const Index patch = 1 + 3 * kSide + 5;
  EXPECT_GT(weight("Patch above", patch, patch - kSide), 0.9F);
  EXPECT_GT(weight("Patch below", patch, patch + kSide), 0.9F);
  EXPECT_GT(weight("Patch to the left", patch, patch - 1), 0.9F);
  EXPECT_GT(weight("Patch to the right", patch, patch + 1), 0.9F);
  EXPECT_GT(weight("Patch above", 4, 4), 0.8F);  // of the top row
  EXPECT_GT(weight("Class token", patch, 0), 0.9F);
  EXPECT_GT(*metrics[by.at("Same row")][Metric::sameRow], 0.8);
  EXPECT_GT(*metrics[by.at("Same column")][Metric::sameColumn], 0.8);
  EXPECT_GT(*metrics[by.at("Around it")][Metric::patchLocal], 0.6);
  // bright patches: the sun's
  EXPECT_GT(weight("Bright patches", 1, 1 + 2 * kSide + 10), 3.0F / kPatches);
  const auto& above = relations[by.at("Patch above")]->partners.front();
  EXPECT_TRUE(above[0].empty());
  EXPECT_TRUE(above[kSide].empty());
  EXPECT_EQ(above[static_cast<std::size_t>(patch)], std::vector<Index>{patch - kSide});
}

TEST(ImageInput, DesignedHeadsThatHaveNoRoomSayWhy) {
  const auto heads = designedHeads(*image(13 * 64, 13));
  EXPECT_NE(heads.back().why.find("only 12 heads are designed for an image"), std::string::npos);
  Series two = *window("patches").items.front();
  two.channels.front() = "infrared";
  const auto other = designedHeads(
      *designed(SeriesSource{{std::make_shared<const Series>(two)}}, sized(768, 12, 1)));
  EXPECT_NE(other[4].why.find("no coordinate \"red\""), std::string::npos) << other[4].why;
}

/// A link or a lesson that asks for learned heads gets designed ones.
TEST(ImageInput, NoHeadsLearnedFromPatches) {
  const DocumentPtr asked =
      makePreset(presetByName("vit-base"), {WeightInit::learned, 1, {}}, kBudget);
  EXPECT_EQ(asked->weightSource.init, WeightInit::designed);
  EXPECT_EQ(asked->weights.wQ.values(), image()->weights.wQ.values());
}

/// Uniform attention has of each patch's neighbours and row as many shares as there are.
TEST(ImageInput, MetricsOnTheGridHaveTheirChance) {
  const UniformMetrics uniform = uniformMetrics(*image(), 0);
  constexpr double kTokens = kPatches + 1;
  EXPECT_NEAR(*uniform[Metric::sameRow], (kSide - 1) / kTokens, 1e-6);
  EXPECT_NEAR(*uniform[Metric::sameColumn], (kSide - 1) / kTokens, 1e-6);
  constexpr double kInner = 12 * 12, kEdges = 4 * 12, kCorners = 4;
  EXPECT_NEAR(*uniform[Metric::patchLocal],
              (8 * kInner + 5 * kEdges + 3 * kCorners) / kPatches / kTokens, 1e-6);
  EXPECT_EQ(uniform.rowsOf(Metric::sameRow), kPatches);
  EXPECT_FALSE(uniform[Metric::meanDistance]);
}

TEST(ImageInput, TheShippedExampleHasItsDrawing) {
  Series series = *window("patches").items.front();
  EXPECT_EQ(drawingOf(series), "examples/landscape.png");
  series.values = series.values.clone();
  series.values.mutableData()[8] += 0.1F;
  EXPECT_EQ(drawingOf(series), "");
  EXPECT_EQ(drawingOf(*window().items.front()), "");
}

}  // namespace
}  // namespace headscope::test
