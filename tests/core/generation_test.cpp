// Generation: row by row with the KV cache, it gives the results of a pass over all tokens.
#include "core/model/generation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "tests/core/test_files.h"

namespace headscope::test::generation {
namespace {

using namespace headscope::model;

constexpr Index kBudget = Index{1} << 30;

ModelPtr open(const std::string& name) {
  const bool shipped = formats::isShipped(name);
  return formats::openModel(
      shipped ? std::filesystem::path(name) : std::filesystem::path(HEADSCOPE_TEST_DATA) / name,
      kBudget);
}
ModelDocumentPtr on(const ModelPtr& model, std::vector<Index> ids) {
  return makeModelDocument(model, {std::move(ids), {}, {}});
}
ModelTracePtr pass(const ModelDocumentPtr& document) {
  return runModel(document, nullptr, {}, kBudget);
}

class Generation : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Generation,
                         testing::Values("tiny-gpt2", "tiny-llama", formats::kInductionModel));

TEST_P(Generation, GivesWhatAPassOverAllTokensGives) {
  const ModelPtr model = open(GetParam());
  std::vector<Index> ids{1, 15, 7};
  for (const bool edited : {false, true}) {
    auto document = on(model, ids);
    if (edited) document = withoutHeads(*document, {{0, 1}, {1, 0}});
    Decoder decoder(pass(document), 12);
    std::vector<Index> all = ids;
    for (int step = 0; step < 12; ++step) {
      const Index next = sampledToken(decoder.logits(), {}, step);
      all.push_back(next);
      ASSERT_TRUE(decoder.feed(next, {}));
      auto whole = on(model, all);
      if (edited) whole = withoutHeads(*whole, {{0, 1}, {1, 0}});
      const auto expected = pass(whole)->logits(std::ssize(all) - 1, 1).values();
      // products of one row sum in another order: as near as models are to PyTorch's numbers
      float largest = 0.0F;
      for (const float v : expected) largest = std::max(largest, std::abs(v));
      ASSERT_EQ(decoder.logits().size(), expected.size());
      for (std::size_t v = 0; v < expected.size(); ++v) {
        ASSERT_NEAR(decoder.logits()[v], expected[v], 1e-5F * largest) << step << ' ' << v;
      }
    }
    EXPECT_EQ(decoder.tokens(), 15);
    const ModelConfig& c = model->config();
    EXPECT_EQ(decoder.cacheBytes(), c.layers * 2 * 15 * c.kvHeads * c.headDim * 4);
    expectUserError([&] { decoder.feed(1, {}); }, "15 tokens", "room");
  }
}

TEST(GenerationLimits, AreSaidInWords) {
  expectUserError([&] { Decoder(pass(on(open("tiny-bert"), {2, 3})), 1); }, "hidden", "GPT-2");
  const ModelPtr model = open("tiny-gpt2");
  const Index most = model->config().positions;
  const auto full = pass(on(model, std::vector<Index>(static_cast<std::size_t>(most), 5)));
  expectUserError([&] { Decoder(full, 1); }, "at most", "shorter");
  const auto nearly = pass(on(model, std::vector<Index>(static_cast<std::size_t>(most) - 2, 5)));
  EXPECT_EQ(Decoder(nearly, 100).room(), most);
}

TEST(Sampling, FollowsProbabilitiesAndItsSeed) {
  const std::array<float, 4> logits{0.0F, std::log(2.0F), std::log(5.0F), -50.0F};
  EXPECT_EQ(sampledToken(logits, {}, 0), 2);
  std::array<int, 4> counts{};
  for (Index place = 0; place < 8000; ++place) {
    const Index taken = sampledToken(logits, {1.0, 0, 3}, place);
    EXPECT_EQ(taken, sampledToken(logits, {1.0, 0, 3}, place));
    ++counts[static_cast<std::size_t>(taken)];
  }
  EXPECT_NEAR(counts[0], 1000, 120);
  EXPECT_NEAR(counts[1], 2000, 160);
  EXPECT_NEAR(counts[2], 5000, 180);
  EXPECT_EQ(counts[3], 0);
  bool differs = false;
  for (Index place = 0; place < 50; ++place) {
    EXPECT_EQ(sampledToken(logits, {1.0, 1, 3}, place), 2) << "the best alone";
    EXPECT_NE(sampledToken(logits, {1.0, 2, 3}, place), 0) << "of the two best";
    differs = differs ||
              sampledToken(logits, {1.0, 0, 3}, place) != sampledToken(logits, {1.0, 0, 4}, place);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace headscope::test::generation
