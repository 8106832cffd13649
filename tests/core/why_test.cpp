// The chain from a predicted word back to the words that were read: each level adds up to the part
// that was followed, and what happens without a head is what a run without it gives.
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/config.h"
#include "core/document/trace.h"
#include "core/formats/shipped_model.h"
#include "core/model/head_output.h"
#include "core/model/why_without.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using Kind = WhyStep::Kind;

class Why : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = modelFolder(GetParam());
    trace = runModel(makeModelDocument(formats::openModel(folder, kBudgetBytes),
                                       {{5, 17, 3, 40, 5, 17}, {}, {}}),
                     nullptr, {}, kBudgetBytes);
  }
  void expectClosed(const WhyLevel& level, double largest) const {
    EXPECT_NEAR(level.sum, level.value, 1e-4 * largest);
  }
  static double largestPart(const WhyLevel& level) {
    double most = 1e-3;
    if (level.parts) {
      for (const WrittenPart& part : *level.parts) most = std::max(most, std::abs(part.value));
    }
    if (level.sources) {
      for (const double value : level.sources->values) most = std::max(most, std::abs(value));
    }
    if (level.score) most = std::max(most, level.score->values.largest());
    return most;
  }

  ModelTracePtr trace;
  const AskedWord asked{5, 7, 9};
};
INSTANTIATE_TEST_SUITE_P(Models, Why,
                         testing::Values("albert", "bloom", "cohere", "deberta-v2", "deepseek_v3",
                                         "electra", "falcon", "gemma2", "gpt_neo", "gpt_oss",
                                         "gptj", "granite", "mixtral", "modernbert", "olmo2", "opt",
                                         "phi", "qwen3_moe", "tiny-bert", "tiny-gpt2", "tiny-llama",
                                         "xlm-roberta"),
                         modelTestName);

/// From the logit to a head of the last layer, why it looks at a token, what an earlier head wrote
/// there, and what that head's token is made of.
TEST_P(Why, EveryLevelAddsUpToThePartThatWasFollowed) {
  const Index lastLayer = trace->layers() - 1;
  const std::vector<WhyStep> steps{{.kind = Kind::head, .head = {lastLayer, 1}},
                                   {.kind = Kind::score, .source = 2},
                                   {.kind = Kind::entry,
                                    .query = {WriterKind::token},
                                    .key = {WriterKind::head, 0, 3},
                                    .alongKey = true},
                                   {.kind = Kind::value, .source = 1}};
  const auto levels = whyLevels(*trace, asked, steps);
  ASSERT_EQ(levels.size(), 5U);
  for (const WhyLevel& level : levels) expectClosed(level, largestPart(level));
  EXPECT_EQ(levels[3].reading.place, 2) << "what was written at the key's place";
  EXPECT_EQ(levels[4].reading.place, 1);
  // the level's number is the part that was followed
  for (const WrittenPart& part : *levels[0].parts) {
    if (part == Writer{WriterKind::head, lastLayer, 1}) {
      EXPECT_EQ(part.value, levels[1].value);
    }
  }
  EXPECT_EQ(levels[4].value, levels[3].sources->values[1]);
  const double ofLogit = levels[1].sources->values[2] / levels[0].value;
  EXPECT_EQ(levels[1].shares, std::vector<double>{levels[1].value / levels[0].value});
  EXPECT_FALSE(levels[1].reached);
  EXPECT_EQ(levels[2].shares, (std::vector<double>{ofLogit, 1.0})) << "the token's, then the score";
  EXPECT_EQ(levels[4].shares, (std::vector<double>{ofLogit, levels[4].value / levels[2].value}));
  EXPECT_EQ(levels[4].reached, Reached::score);
}

TEST_P(Why, FollowsTheQueryToo) {
  const std::vector<WhyStep> steps{{.kind = Kind::head, .head = {1, 0}},
                                   {.kind = Kind::score, .source = 2},
                                   {.kind = Kind::entry,
                                    .query = {WriterKind::head, 0, 2},
                                    .key = {WriterKind::token},
                                    .alongKey = false}};
  const auto levels = whyLevels(*trace, asked, steps);
  EXPECT_EQ(levels[3].reading.place, asked.row);
  expectClosed(levels[3], largestPart(levels[3]));
}

TEST_P(Why, ANetworkIsTakenApartByItsNeurons) {
  for (const Index layer : {Index{0}, trace->layers() - 1}) {
    const auto levels = whyLevels(*trace, asked, stepsFrom("f" + std::to_string(layer)));
    const NetworkNeurons& found = levels.back().neurons.value();
    double most = std::abs(found.bias);
    for (const Neuron& neuron : found.neurons) most = std::max(most, std::abs(neuron.value));
    EXPECT_NEAR(levels.back().sum, levels.back().value, 1e-4 * most) << layer;
    EXPECT_EQ(levels.back().shares,
              std::vector<double>{levels.back().value / levels.front().value});
    const auto without = withoutParts(trace, asked, levels, 1).followed.value();
    EXPECT_EQ(without.frozen, -levels.back().value);
  }
}

/// In the last layer nothing but the final norm stands between a head and the logit.
TEST_P(Why, WithoutAHeadTheLogitChangesByItsPartAndWhatComesByTheNorm) {
  const std::vector<WhyStep> steps{{.kind = Kind::head, .head = {trace->layers() - 1, 1}}};
  const auto levels = whyLevels(*trace, asked, steps);
  const WithoutWriter found = withoutParts(trace, asked, levels, 1).followed.value();
  EXPECT_EQ(found.frozen, -levels[1].value);
  Tensor rows = headOutput(*trace, {trace->layers() - 1, 1});
  std::ranges::fill(rows.mutableMatrix().row(asked.row), 0.0F);
  const ModelTracePtr after =
      runModel(withHeadOutput(*trace, {trace->layers() - 1, 1}, rows), trace, {}, kBudgetBytes);
  const auto metric = [&](const ModelTracePtr& pass) {
    const Tensor logits = pass->logits(asked.row, 1);
    return static_cast<double>(logits.data()[asked.word]) -
           static_cast<double>(logits.data()[*asked.other]);
  };
  EXPECT_NEAR(found.total, metric(after) - metric(trace), 2e-5);
}

/// The shipped model continues a repeated row: the second layer's head looks at the token after the
/// earlier occurrence because the first layer's head wrote the token before into its key.
TEST(Chain, FindsTheInductionCircuitByItself) {
  const ModelPtr model = formats::openModel(formats::kInductionModel, kBudgetBytes);
  std::vector<Index> ids;
  for (const int repeat : {0, 1}) {
    for (const Index id : {4, 9, 2, 7, 12, 5}) {
      if (repeat == 0 || id != 5) ids.push_back(id);
    }
  }
  const ModelTracePtr trace =
      runModel(makeModelDocument(model, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
  const AskedWord asked{10, 5, {}};
  ASSERT_EQ(trace->predictions(10, 1).front().id, 5);
  std::vector<WhyStep> steps;
  std::vector<WhyLevel> levels = whyLevels(*trace, asked, steps);
  for (int i = 0; i < 3; ++i) {
    steps.push_back(strongestStep(levels.back()).value());
    levels = whyLevels(*trace, asked, steps);
  }
  EXPECT_EQ(steps[0].kind, Kind::head);
  EXPECT_EQ(steps[0].head.layer, 1);
  EXPECT_EQ(steps[1].kind, Kind::score);
  EXPECT_EQ(steps[1].source, 5) << "the token after the earlier 12";
  EXPECT_EQ(steps[2].kind, Kind::entry);
  EXPECT_EQ(steps[2].key.kind, WriterKind::head);
  EXPECT_EQ(steps[2].key.layer, 0);
  const HeadSources& before = *levels.back().sources;
  const auto largest =
      std::ranges::max_element(before.values, {}, [](double x) { return std::abs(x); });
  EXPECT_EQ(largest - before.values.begin(), 4) << "the head of layer 1 looks one token back";
  // frozen is this pair of writers; without the head all pairs with it go, and no norm follows
  const WithoutWriter without = withoutParts(trace, asked, levels, 1).followed.value();
  const ScoreParts& score = *levels[2].score;
  const auto column = std::ranges::find(score.keys, steps[2].key) - score.keys.begin();
  double pairs = 0.0;
  for (Index row = 0; row < score.values.rows; ++row) pairs += score.values(row, column);
  EXPECT_EQ(without.frozen, -levels[3].value);
  EXPECT_NEAR(without.total, -pairs, 1e-4);
  EXPECT_GT(std::abs(without.total - without.frozen), 0.1);
}

TEST(Chain, IsAShortText) {
  const std::string text = "h1.2 s10 k:t:h0.3 v9 h0.1 s4 q:h0.12:f3 f0 n0.12 n3.e2.0g n1.s.4u";
  const std::vector<WhyStep> steps = stepsFrom(text);
  ASSERT_EQ(steps.size(), 11U);
  EXPECT_EQ(steps[2].key, (Writer{WriterKind::head, 0, 3}));
  EXPECT_TRUE(steps[2].alongKey);
  EXPECT_FALSE(steps[6].alongKey);
  EXPECT_EQ(steps[6].key, (Writer{WriterKind::feedForward, 3}));
  EXPECT_EQ(textOf(steps), text);
  EXPECT_EQ(textOf(stepsFrom("1.2 s10 k:t:0.3 L0H1")), "h1.2 s10 k:t:h0.3 h0.1");
  EXPECT_TRUE(stepsFrom("").empty());
  EXPECT_EQ(textOf(stepsFrom("  v1  v2 ")), "v1 v2");
  for (const char* wrong : {"x", "h1", "h1.", "1", "L1", "L1.2", "s", "s-1", "k:t",
                            "k:t:", "q:h1:t", "v1v2", "v99999999999999999999"}) {
    expectUserError([&] { stepsFrom(wrong); }, "chain of steps");
  }
}

TEST(Chain, RefusesStepsThatDoNotExist) {
  const ModelTracePtr trace =
      runModel(makeModelDocument(formats::openModel(modelData("tiny-gpt2"), kBudgetBytes),
                                 {{5, 17, 3}, {}, {}}),
               nullptr, {}, kBudgetBytes);
  const AskedWord asked{2, 7, {}};
  const auto follow = [&](std::vector<WhyStep> steps) { whyLevels(*trace, asked, steps); };
  expectUserError([&] { follow({{.kind = Kind::value, .source = 1}}); },
                  "choose a token of a head");
  expectUserError(
      [&] {
        follow({{.kind = Kind::head, .head = {5, 0}}});
      },
      "there is no layer 5, head 0");
  expectUserError(
      [&] {
        follow({{.kind = Kind::head, .head = {1, 0}}, {.kind = Kind::score, .source = 9}});
      },
      "no token 9");
  expectUserError(
      [&] {
        follow(
            {{.kind = Kind::head, .head = {1, 0}},
             {.kind = Kind::score, .source = 1},
             {.kind = Kind::entry, .query = {WriterKind::token}, .key = {WriterKind::position}}});
      },
      "only networks");
}

}  // namespace
}  // namespace headscope::test::models
