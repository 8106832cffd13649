// The limits of designed heads: a head that cannot do its task gives the reason.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/heads/designed_heads.h"
#include "core/training/relations.h"
#include "tests/core/support/designed.h"

namespace headscope::test {
namespace {

TEST(DesignedLimits, ASizeTooSmallIsSaidAndDrawnInstead) {
  const auto narrow = designedText(kCat, 256, 8);
  const auto heads = designedHeads(*narrow);
  EXPECT_TRUE(heads[1].drawn);
  EXPECT_EQ(heads[1].title, "Drawn at random");
  EXPECT_EQ(heads[1].instead, "Verb → its subject");
  EXPECT_EQ(heads[1].why, "it needs 59 dimensions, and d_k is 32");
  const Weights xavier = drawWeights(narrow->config, WeightInit::xavier, 1);
  EXPECT_EQ(narrow->weights.wQ.at({32, 7}), xavier.wQ.at({32, 7}));
  EXPECT_EQ(narrow->weights.wO.at({3, 32}), xavier.wO.at({3, 32}));
  EXPECT_FALSE(declaredRelations(*narrow)[1]);

  const auto tiny = designedHeads(*designedText(kCat, 8, 1));
  EXPECT_NE(tiny[0].why.find("position pairs, and d_model 8 has room for 0"), std::string::npos);
  const auto many = designedHeads(*designedText(kCat, 1280, 20));
  EXPECT_FALSE(many[15].drawn);
  EXPECT_EQ(many[16].why, "only 16 heads are designed for text");
}

TEST(DesignedLimits, BeyondTheReachOfTheirKernelsTheySaySo) {
  const auto whysOf = [](Index tokens, bool causal = false) {
    std::string words;
    for (Index i = 0; i < tokens; ++i) words += "cat ";
    AttentionConfig config = sized(1024, 16, 1);
    config.mask.causal = causal;
    std::map<std::string, std::string> whys;
    for (const DesignedHead& head : designedHeads(*designed(TextSource{{words}, {}}, config))) {
      whys[head.title] = head.why;
    }
    return whys;
  };
  for (const auto& [title, why] : whysOf(41)) EXPECT_EQ(why, "") << title;
  for (const auto& [title, why] : whysOf(42)) {
    if (title == "First token" || title == "Uniform") {
      EXPECT_EQ(why, "") << title;
    } else {
      EXPECT_EQ(why, "some positions are more than 40 apart, where its distance kernel repeats")
          << title;
    }
  }
  const auto both = whysOf(42, true);
  EXPECT_EQ(both.at("Next token"),
            "the causal mask hides keys after the query, including the target; and some positions "
            "are more than 40 apart, where its distance kernel repeats");
}

TEST(DesignedLimits, AChannelThatIsNotThereIsSaid) {
  Series one = *window().items.front();
  one.channels.front() = "voltage";
  const SeriesSource source{{std::make_shared<const Series>(one)}};
  const auto heads = designedHeads(*designed(source, sized(768, 12, 1)));
  EXPECT_FALSE(heads[1].drawn);
  EXPECT_TRUE(heads[2].drawn);
  EXPECT_NE(heads[2].why.find("no coordinate \"temperature\""), std::string::npos);
  EXPECT_NE(heads[8].why.find("8 heads are designed for a series"), std::string::npos);
}

TEST(DesignedLimits, WhatAppliesElsewhereIsSaid) {
  const auto across =
      designedHeads(*designed(TextSource{{kCat}, {"Die Katze"}}, sized(768, 12, 1)));
  EXPECT_EQ(across[0].title, "Same meaning");
  EXPECT_EQ(across[7].title, "Uniform");
  EXPECT_NE(across[8].why.find("8 heads are designed for two texts"), std::string::npos);

  const auto grouped = designedHeads(*designed(TextSource{{kCat}, {}}, sized(512, 8, 1, 2)));
  EXPECT_EQ(grouped[0].title, "Previous token");
  EXPECT_EQ(grouped[3].why, "it shares its keys with head 1, for which they are designed");
  EXPECT_EQ(grouped[4].title, "Verb → its subject");

  const auto off =
      designedHeads(*designed(TextSource{{kCat}, {}}, sized(512, 8, 1), Positions::none));
  EXPECT_NE(off[0].why.find("positions are off"), std::string::npos);
  EXPECT_FALSE(off[7].drawn);

  const auto numbers = designed(
      TensorSource{"x", randomTensor({1, 4, 8}, 1, "x", 1.0F), {}, {}, {}}, sized(8, 2, 4));
  EXPECT_NE(designedHeads(*numbers)[0].why.find("no names"), std::string::npos);
  EXPECT_EQ(numbers->weights.wQ.values(),
            drawWeights(numbers->config, WeightInit::xavier, 1).wQ.values());
  EXPECT_TRUE(designedHeads(*fromTexts({kCat})).empty());  // xavier's
}

}  // namespace
}  // namespace headscope::test
