// Chains that begin at a score, in models with a language-model head and without, and the changes
// of a number without a part of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/config.h"
#include "core/document/trace.h"
#include "core/model/blocks.h"
#include "core/model/norms.h"
#include "core/model/steering.h"
#include "core/model/why_without.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

const std::vector<Index> kChainIds{5, 17, 3, 40, 5, 17};

double largestPartOf(const WhyLevel& level) {
  double most = 1e-3;
  if (level.score) most = std::max(most, level.score->values.largest());
  for (const double value : level.sources ? level.sources->values : std::vector<double>()) {
    most = std::max(most, std::abs(value));
  }
  if (level.neurons) {
    for (const Neuron& neuron : level.neurons->neurons) {
      most = std::max(most, std::abs(neuron.value));
    }
  }
  for (const WrittenPart& part : level.parts.value_or(std::vector<WrittenPart>())) {
    most = std::max(most, std::abs(part.value));
  }
  return most;
}

/// Follows the strongest parts of a score, and expects every level to close.
void expectChainCloses(const ModelTrace& trace, const AskedScore& asked) {
  EXPECT_EQ(askedScoreFrom(textOf(asked)), asked);
  const std::vector<WhyStep> steps = strongestSteps(trace, asked, 5);
  ASSERT_GE(steps.size(), 2U) << "no earlier head wrote there";
  const std::vector<WhyLevel> levels = whyLevels(trace, asked, steps);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_NEAR(levels[i].sum, levels[i].value, 1e-4 * largestPartOf(levels[i])) << "level " << i;
    const bool behindNeuron = i > 0 && levels[i].through.size() > 0;
    EXPECT_EQ(levels[i].reached, behindNeuron ? levels[i].through.back() : Reached::score);
  }
  EXPECT_EQ(levels[0].value, levels[0].score->score);
  EXPECT_EQ(levels[1].shares, std::vector<double>{levels[1].value / levels[0].value});
}

class ScoreChain : public testing::TestWithParam<std::string> {
 protected:
  const ModelTracePtr trace =
      runModel(documentOf(formats::openModel(modelFolder(GetParam()), kBudgetBytes), kChainIds),
               nullptr, {}, kBudgetBytes);
};
INSTANTIATE_TEST_SUITE_P(Models, ScoreChain, testing::ValuesIn(everyModel()), modelTestName);

TEST_P(ScoreChain, ClosesInEveryFamily) {
  const Index last = trace->layers() - 1;
  expectChainCloses(*trace, {{last, 1}, 5, 2});
  if (!trace->config().crossAttention) return;
  const Index ofEncoder = passOf(*trace, Stack::encoder).layers() - 1;
  expectChainCloses(*trace, {{ofEncoder, 1}, 3, 1, Stack::encoder});
}

/// A pair of two networks, neuron by neuron, on both sides; in models of experts over all of them.
TEST_P(ScoreChain, LeadsIntoNetworks) {
  const model::ModelConfig& c = trace->config();
  const Stack stack = c.crossAttention ? Stack::encoder : Stack::decoder;
  const ModelTrace& pass = passOf(*trace, stack);
  if (!pass.config().hasNetwork(0)) return;
  const AskedScore asked{{1, 1}, 4, 2, stack};
  const Writer network{WriterKind::feedForward, 0, -1, stack};
  for (const bool alongKey : {false, true}) {
    const WhyStep step{
        .kind = WhyStep::Kind::entry, .query = network, .key = network, .alongKey = alongKey};
    ASSERT_EQ(stepsFrom(textOf({step})), std::vector<WhyStep>{step});
    const auto levels = whyLevels(*trace, asked, {step});
    const WhyLevel& last = levels.back();
    ASSERT_TRUE(last.neurons);
    EXPECT_GT(last.neurons->neurons.size(), 30U);
    EXPECT_NEAR(last.sum, last.value, 1e-4 * largestPartOf(last)) << textOf({step});
    EXPECT_EQ(last.reading.place, alongKey ? asked.key : asked.query);
    const auto without = withoutParts(trace, asked, levels, 1);
    ASSERT_TRUE(without.followed);
    EXPECT_EQ(without.followed->frozen, -last.value);
  }
}

class ScoreChainOfImages : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, ScoreChainOfImages,
                         testing::Values("clip_vision_model", "deit", "deit_teacher", "dinov2",
                                         "dinov2_labels", "dinov2_registers", "vit", "vit_plain"),
                         modelTestName);

TEST_P(ScoreChainOfImages, ClosesWithAndWithoutAClassifier) {
  const auto model = formats::openModel(modelData("image_models") / GetParam(), kBudgetBytes);
  const Extent size = model->config().image.size;
  Tensor pixels = Tensor::uninitialised({model->config().image.channels, size.height, size.width});
  for (Index i = 0; i < pixels.size(); ++i) {
    pixels.mutableData()[i] = std::sin(static_cast<float>(i) * 0.37F);
  }
  const auto trace = runModel(makeModelDocument(model, imageInput(*model, std::move(pixels))),
                              nullptr, {}, kBudgetBytes);
  expectChainCloses(*trace, {{trace->layers() - 1, 1}, 0, 3});
}

double rawScoreOf(const ModelTrace& trace, const ScoreParts& score) {
  return double{trace.layer(score.head.layer)
                    ->value({TensorId::rawScores, 0, score.head.head, score.query, score.key})} *
         double{trace.layer(score.head.layer)->config().scoreMultiplier()};
}

/// Without a network the score is that of the next layer over the normalised half.
TEST(WithoutParts, NetworksBeforeANormAreLeftOutOfTheSum) {
  const auto trace =
      runModel(documentOf(formats::openModel(modelFolder("tiny-bert"), kBudgetBytes), kChainIds),
               nullptr, {}, kBudgetBytes);
  const AskedScore asked{{1, 2}, 4, 1};
  const auto levels = whyLevels(*trace, asked, {});
  const auto without = withoutParts(trace, asked, levels, 100);
  const Writer network{WriterKind::feedForward, 0};
  for (const bool ofKey : {false, true}) {
    const auto& side = ofKey ? without.keys : without.queries;
    const auto found = std::ranges::find(side, network, &WithoutWriter::writer);
    ASSERT_NE(found, side.end());
    const auto weights = trace->document().model->layer(0);
    const Tensor half = normalized(trace->hidden(1), weights->feedForwardNorm, trace->config(), {});
    Tensor x = trace->hidden(2).clone();
    std::ranges::copy(half.matrix({0}).row(ofKey ? asked.key : asked.query),
                      x.mutableMatrix({0}).row(ofKey ? asked.key : asked.query).begin());
    const auto attention = runLayerAttention(layerDocument(trace->document(), 1, x), nullptr, {});
    const double after =
        double{attention->value({TensorId::rawScores, 0, 2, asked.query, asked.key})} *
        double{attention->config().scoreMultiplier()};
    EXPECT_NEAR(found->total, after - rawScoreOf(*trace, *levels[0].score), 2e-5);
    const auto parts = ofKey ? partsOfKey(*levels[0].score) : partsOfQuery(*levels[0].score);
    const auto part = std::ranges::find_if(parts, [&](const WrittenPart& each) {
      return static_cast<const Writer&>(each) == network;
    });
    EXPECT_EQ(found->frozen, -part->value);
  }
}

class WithoutPart : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, WithoutPart,
                         testing::Values("tiny-gpt2", "tiny-llama", "gemma2", "gptj", "olmo2"),
                         modelTestName);

/// A part of a logit is left out by a patched run: here by a direction that takes it off the
/// stream.
TEST_P(WithoutPart, ALogitIsThatOfAStreamFromWhichThePartIsTaken) {
  const auto trace =
      runModel(documentOf(formats::openModel(modelFolder(GetParam()), kBudgetBytes), kChainIds),
               nullptr, {}, kBudgetBytes);
  const AskedWord asked{5, 7, 9};
  const auto without = withoutParts(trace, asked, whyLevels(*trace, asked, {}), 100);
  const auto metric = [&](const ModelTracePtr& pass) {
    const Tensor logits = pass->logits(asked.row, 1);
    return double{logits.data()[asked.word]} - double{logits.data()[*asked.other]};
  };
  int compared = 0;
  for (const WithoutWriter& each : without.parts) {
    const bool network = each.writer.kind == WriterKind::feedForward;
    const Index layer = network ? each.writer.layer + 1 : 0;
    if (layer >= trace->layers() || (!network && each.writer.kind != WriterKind::token)) continue;
    const StreamParts stream = streamParts(*trace, layer, asked.row);
    const auto row =
        stream.rows.row(std::ranges::find(stream.writers, each.writer) - stream.writers.begin());
    std::vector<float> taken(row.begin(), row.end());
    for (float& number : taken) number = -number;
    const auto after = runModel(withSteering(trace->document(), {layer, asked.row, taken}), nullptr,
                                {}, kBudgetBytes);
    EXPECT_NEAR(each.total, metric(after) - metric(trace), 1e-4) << textOf(each.writer);
    ++compared;
  }
  EXPECT_EQ(compared, trace->layers()) << "the token, and every network but the last";
}

TEST(PassedOver, TellsTheLargerPartsThatCannotBeFollowed) {
  WhyLevel level;
  level.parts = {{{WriterKind::token}, 1.0},
                 {{WriterKind::head, 0, 1}, -0.75},
                 {{WriterKind::head, 0, 2}, 0.5},
                 {{WriterKind::position}, -4.0},
                 {{WriterKind::feedForward, 0}, 0.25}};
  const WhyStep step = strongestStep(level).value();
  EXPECT_EQ(textOf({step}), "h0.1");
  const auto passed = passedOver(level, step);
  ASSERT_EQ(passed.size(), 2U);
  EXPECT_EQ(passed[0].value, -4.0);
  EXPECT_EQ(passed[1].writer, (Writer{WriterKind::token}));
}

TEST(StrongestStep, FollowsANetworkThatIsTheLargest) {
  WhyLevel level;
  level.parts = {{{WriterKind::token}, 3.0},
                 {{WriterKind::head, 0, 1}, -1.5},
                 {{WriterKind::feedForward, 1}, 2.0}};
  EXPECT_EQ(textOf({strongestStep(level).value()}), "f1");
  WhyLevel pairs;
  ScoreParts score;
  score.queries = {{WriterKind::token}, {WriterKind::feedForward, 0}};
  score.keys = {{WriterKind::head, 0, 1}, {WriterKind::position}};
  score.values = Matrix64(2, 2);
  score.values(0, 1) = 4.0;
  score.values(1, 1) = 2.0;
  score.values(0, 0) = 1.0;
  pairs.score = score;
  EXPECT_EQ(textOf({strongestStep(pairs).value()}), "q:f0:p") << "token and position have no parts";
}

/// The chain follows a part that supports the number, though a head that works against it gives
/// more.
TEST(StrongestStep, HasTheSignOfTheNumber) {
  WhyLevel level;
  level.parts = {{{WriterKind::head, 0, 1}, -2.0},
                 {{WriterKind::head, 0, 2}, 0.5},
                 {{WriterKind::head, 0, 3}, 0.25}};
  const auto followed = [&] { return textOf({strongestStep(level).value()}); };
  level.value = 0.75;
  EXPECT_EQ(followed(), "h0.2");
  const auto passed = passedOver(level, *strongestStep(level));
  ASSERT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed[0].writer, (Writer{WriterKind::head, 0, 1}));
  level.value = -1.25;
  EXPECT_EQ(followed(), "h0.1");
  level.value = 1.0;
  level.parts->erase(level.parts->begin() + 1, level.parts->end());
  EXPECT_EQ(followed(), "h0.1") << "no part has the sign";
}

TEST(Shares, AreNarratedFromTheWordThroughEachScore) {
  WhyLevel level;
  EXPECT_EQ(sharesInWords(level, "logit"), "");
  level.shares = {0.372};
  EXPECT_EQ(sharesInWords(level, "difference"), "37 % of the difference");
  level.shares = {0.372, 0.62, -0.3};
  level.through = {Reached::score, Reached::score};
  EXPECT_EQ(sharesInWords(level, "difference"),
            "37 % of the difference, then 62 % of its score, then -30 % of the next score");
  level.through = {Reached::score, Reached::preActivation};
  EXPECT_EQ(sharesInWords(level, "logit"),
            "37 % of the logit, then 62 % of its score, then -30 % of the next pre-activation");
  level.shares = {0.372, 1.0};
  level.through = {Reached::score};
  level.score = ScoreParts();
  EXPECT_EQ(sharesInWords(level, "logit"), "37 % of the logit") << "no share of itself";
}

TEST(AskedScoreText, IsHeadQueryAndKey) {
  EXPECT_EQ(textOf(AskedScore{{1, 2}, 5, 3}), "h1.2:5:3");
  EXPECT_EQ(textOf(AskedScore{{0, 12}, 0, 3, Stack::encoder}), "eh0.12:0:3");
  EXPECT_EQ(askedScoreFrom("L1H2:5:3"), (AskedScore{{1, 2}, 5, 3}));
  for (const char* wrong : {"", "h1.2", "h1.2:5", "h1.2:5:", "h1.2:5:3:1", "f1:5:3", "h1:5:3"}) {
    expectUserError([&] { askedScoreFrom(wrong); }, "is no score");
  }
}

}  // namespace
}  // namespace headscope::test::models
