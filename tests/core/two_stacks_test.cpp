// Experiments over both stacks of an encoder–decoder model: patches and estimates in the encoder,
// paths into the cross-attention, circuits of all three attentions, and chains of sums that lead
// from a predicted word through the cross-attention to the source.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/document/trace.h"
#include "core/model/attribution_patching.h"
#include "core/model/circuits.h"
#include "core/model/compositions.h"
#include "core/model/head_output.h"
#include "core/model/steering.h"
#include "core/model/texts_sweep.h"
#include "core/model/why_without.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using Kind = WhyStep::Kind;

const std::vector<Index> kFrom{7, 3, 40, 12, 5, 9}, kOtherFrom{7, 3, 22, 12, 8, 9},
    kTo{5, 17, 40, 8, 66};
const AskedWord kAskedThere{3, 21, 12};

class BothStacks : public testing::TestWithParam<std::string> {
 protected:
  ModelTracePtr pass(const std::vector<Index>& source) const {
    return runModel(documentOf(model_, kTo, source), nullptr, {}, kBudgetBytes);
  }
  static double metricOf(const ModelTrace& trace) {
    const Tensor logits = trace.logits(kAskedThere.row, 1);
    return double{logits.data()[kAskedThere.word]} - double{logits.data()[*kAskedThere.other]};
  }
  /// The pass with another document of the encoder.
  ModelTracePtr withEncoder(const ModelDocumentPtr& encoder) const {
    const auto memory = runModel(encoder, nullptr, {}, kBudgetBytes);
    return runModel(withMemory(base_->document(), memory), base_, {}, kBudgetBytes);
  }
  std::vector<PatchEffect> effectsOf(const std::vector<Patch>& patches) const {
    PatchedRuns runs(base_, patches, kAskedThere, {});
    Index units = 0;
    for (bool ended = false; !ended; ++units) ended = runs.runUnit();
    EXPECT_EQ(units, runs.units());
    return runs.effects();
  }
  const ModelTrace& encoder() const { return passOf(*base_, Stack::encoder); }

  const ModelPtr model_ = formats::openModel(modelFolder(GetParam()), kBudgetBytes);
  const ModelTracePtr base_ = pass(kFrom), other_ = pass(kOtherFrom);
};
INSTANTIATE_TEST_SUITE_P(Models, BothStacks, testing::Values("bart", "marian", "t5"),
                         modelTestName);

TEST_P(BothStacks, ASweepReplacesEachHeadOfTheThreeAttentions) {
  const auto patches = patchesOver(SweepOver::heads, *base_, valuesFrom(other_));
  const auto heads = [](const ModelTrace& pass) { return pass.layers() * pass.config().heads; };
  ASSERT_EQ(std::ssize(patches), heads(encoder()) + heads(*base_));
  const auto effects = effectsOf(patches);
  double largest = 0.0;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const HeadOfLayer head{patches[i].layer, patches[i].head};
    const ModelTrace& own = passOf(*base_, patches[i].stack);
    const auto document =
        withHeadOutput(own, head, headOutput(passOf(*other_, patches[i].stack), head));
    const ModelTracePtr after = patches[i].stack == Stack::encoder
                                    ? withEncoder(document)
                                    : runModel(document, base_, {}, kBudgetBytes);
    EXPECT_NEAR(effects[i].metric, metricOf(*after), 2e-5) << i;
    if (patches[i].stack == Stack::encoder) {
      EXPECT_EQ(effects[i].direct.value_or(0.0), 0.0) << "nothing of the encoder is added directly";
      largest = std::max(largest, std::abs(effects[i].metric - metricOf(*base_)));
    }
  }
  EXPECT_GT(largest, 1e-4) << "the encoder has an effect";
}

TEST_P(BothStacks, EachSweepOfOwnValuesChangesNothing) {
  for (const SweepOver over : {SweepOver::layers, SweepOver::places, SweepOver::queries,
                               SweepOver::keys, SweepOver::values}) {
    for (const PatchEffect& effect : effectsOf(patchesOver(over, *base_, valuesFrom(base_)))) {
      EXPECT_NEAR(effect.metric, metricOf(*base_), 2e-5);
    }
  }
}

/// The encoder's whole stream of the other source is that source.
TEST_P(BothStacks, TheStreamOfAnotherSourceInTheEncoderIsThatSource) {
  std::vector<Patch> patches;
  for (Index layer = 0; layer < encoder().layers(); ++layer) {
    patches.push_back({Site::residual, layer, 0, Patch::kEveryPlace,
                       valuesOfPart(passOf(*other_, Stack::encoder), Site::residual, layer, 0),
                       Stack::encoder});
  }
  for (const PatchEffect& effect : effectsOf(patches)) {
    EXPECT_NEAR(effect.metric, metricOf(*other_), 2e-5);
  }
}

TEST_P(BothStacks, EstimatesAreTheFirstOrderOfTheEffects) {
  for (const SweepOver over : {SweepOver::heads, SweepOver::layers, SweepOver::places,
                               SweepOver::queries, SweepOver::keys, SweepOver::values}) {
    auto patches = patchesOver(over, *base_, zeros());
    for (Patch& patch : patches) {  // a little of the way to zero
      const ModelTrace& pass = passOf(*base_, patch.stack);
      Tensor near = valuesOfPart(pass, patch.site, patch.layer, patch.head).clone();
      if (patch.place >= 0) near = near.slice(0, patch.place, patch.place + 1).clone();
      for (Index i = 0; i < near.size(); ++i) near.mutableData()[i] *= 0.9975F;
      patch.rows = near;
    }
    const auto estimates = estimatedEffects(base_, patches, kAskedThere, {});
    const auto effects = effectsOf(patches);
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      double largest = 0.0;
      for (std::size_t i = 0; i < patches.size(); ++i) {
        if (patches[i].stack == stack) largest = std::max(largest, std::abs(estimates[i]));
      }
      EXPECT_GT(largest, 0.0);
      for (std::size_t i = 0; i < patches.size(); ++i) {
        if (patches[i].stack != stack) continue;
        EXPECT_NEAR(estimates[i], effects[i].metric - metricOf(*base_), 0.05 * largest) << i;
      }
    }
  }
}

TEST_P(BothStacks, ASweepOfTextsTakesSourcesWithOneTarget) {
  TextToSweep text{"", {kTo, {}, {}}, ModelInput{kOtherFrom, {}, {}}, [](const ModelTrace&) {
                     return kAskedThere;
                   }};
  text.source = ModelInput{kFrom, {}, {}};
  const SweepSetting setting{SweepOver::heads, SweepWith::other, {}, {}};
  TextsSweep sweep(base_->documentPtr(), {text}, setting, {});
  Index units = 1;
  while (!sweep.runUnit()) ++units;
  EXPECT_NEAR(units, TextsSweep::units(1, setting, *model_), 1);
  const SweptTexts found = sweep.found().value();
  EXPECT_NEAR(found.otherMetrics.front(), metricOf(*other_), 2e-5);
  const auto expected = effectsOf(patchesOver(SweepOver::heads, *base_, valuesFrom(other_)));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const PatchEffect effect = found.effects.mean(i);
    EXPECT_NEAR(effect.metric, expected[i].metric, 2e-5);
    const Patch& part = found.parts[i];
    const bool cross = part.stack == Stack::decoder && model_->config().readsMemory(part.layer);
    ASSERT_EQ(effect.looks.has_value(), cross) << "the words that differ are of the source";
    if (!cross) continue;
    const Tensor& weights = base_->layer(part.layer)->tensor(TensorId::weights);
    const double looks = double{weights.at({0, part.head, kAskedThere.row, 2})} +
                         double{weights.at({0, part.head, kAskedThere.row, 4})};
    EXPECT_NEAR(*effect.looks, looks, 1e-6);
  }
}

/// No head stands between one of the encoder's last layer and the cross-attention.
TEST_P(BothStacks, APathLeadsFromTheEncoderToKeysAndValues) {
  const HeadOfLayer head{encoder().layers() - 1, 1};
  const Patch sender{Site::heads,
                     head.layer,
                     head.head,
                     Patch::kEveryPlace,
                     headOutput(passOf(*other_, Stack::encoder), head),
                     Stack::encoder};
  const ModelTracePtr after = withEncoder(withHeadOutput(encoder(), head, sender.rows));
  for (const Site site : {Site::k, Site::v}) {
    const std::vector<float> through = valuesThrough(*base_, sender, {site, 3, 2}, {}).values();
    const std::vector<float> wanted = valuesOfPart(*after, site, 3, 2).values();
    ASSERT_EQ(through.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(through[i], wanted[i], 2e-5);
  }
  expectUserError(
      [&] {
        valuesThrough(*base_, sender, {Site::q, 3, 2}, {});
      },
      "sends nothing", "keys and values of cross-attention");
  expectUserError([&] { valuesThrough(*base_, sender, {Site::k, 2, 2}, {}); }, "sends nothing");
}

double largestOfLevel(const WhyLevel& level) {
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

/// From the logit to a head of the cross-attention, what its value is made of in the encoder, a
/// head there, why that looks at a word, and what an earlier head wrote into its key.
TEST_P(BothStacks, AChainLeadsThroughTheCrossAttentionIntoTheEncoder) {
  const Index cross = base_->layers() - 1, last = encoder().layers() - 1;
  const std::vector<WhyStep> steps{{.kind = Kind::head, .head = {cross, 1}},
                                   {.kind = Kind::value, .source = 5},
                                   {.kind = Kind::head, .head = {last, 2}},
                                   {.kind = Kind::score, .source = 1},
                                   {.kind = Kind::entry,
                                    .query = {WriterKind::token, -1, -1, Stack::encoder},
                                    .key = {WriterKind::head, 0, 3, Stack::encoder},
                                    .alongKey = true},
                                   {.kind = Kind::value, .source = 2}};
  ASSERT_EQ(stepsFrom(textOf(steps)), steps);
  const auto levels = whyLevels(*base_, kAskedThere, steps);
  ASSERT_EQ(levels.size(), 7U);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_NEAR(levels[i].sum, levels[i].value, 1e-4 * largestOfLevel(levels[i])) << i;
    EXPECT_EQ(levels[i].score ? levels[i].score->stack : levels[i].reading.stack,
              i < 2 ? Stack::decoder : Stack::encoder);
  }
  EXPECT_EQ(levels[1].sources->tokens, Stack::encoder);
  EXPECT_EQ(std::ssize(levels[1].sources->values), std::ssize(kFrom));
  EXPECT_EQ(levels[2].value, levels[1].sources->values[5]);
  EXPECT_EQ(levels[2].reading.place, 5);
  for (const WrittenPart& part : *levels[2].parts) EXPECT_EQ(part.stack, Stack::encoder);
  // without a head of the encoder, by a pass of its own
  const std::vector<WhyLevel> until(levels.begin(), levels.begin() + 4);
  Tensor rows = headOutput(encoder(), {last, 2});
  std::ranges::fill(rows.mutableMatrix().row(5), 0.0F);
  const ModelTracePtr after = withEncoder(withHeadOutput(encoder(), {last, 2}, rows));
  const WithoutWriter without = withoutParts(base_, kAskedThere, until, 1).followed.value();
  EXPECT_EQ(without.frozen, -levels[3].value);
  EXPECT_NEAR(without.total, metricOf(*after) - metricOf(*base_), 2e-5);
}

/// Why a head of the cross-attention looks at a word: what wrote into the query × what wrote into
/// the encoder's last state.
TEST_P(BothStacks, AScoreOfCrossAttentionIsASumOverPairsOfBothStacks) {
  const std::vector<WhyStep> ofKey{{.kind = Kind::head, .head = {3, 0}},
                                   {.kind = Kind::score, .source = 5},
                                   {.kind = Kind::entry,
                                    .query = {WriterKind::token},
                                    .key = {WriterKind::head, 1, 2, Stack::encoder},
                                    .alongKey = true}};
  std::vector<WhyStep> ofQuery = ofKey;
  ofQuery.back() = {.kind = Kind::entry,
                    .query = {WriterKind::head, 1, 2},
                    .key = {WriterKind::token, -1, -1, Stack::encoder},
                    .alongKey = false};
  for (const auto& steps : {ofKey, ofQuery}) {
    ASSERT_EQ(stepsFrom(textOf(steps)), steps);
    const auto levels = whyLevels(*base_, kAskedThere, steps);
    for (const WhyLevel& level : levels) {
      EXPECT_NEAR(level.sum, level.value, 1e-4 * largestOfLevel(level));
    }
    const bool inEncoder = steps.back().alongKey;
    EXPECT_EQ(levels[3].reading.stack, inEncoder ? Stack::encoder : Stack::decoder);
    EXPECT_EQ(levels[3].reading.place, inEncoder ? 5 : kAskedThere.row);
    // without it, by a pass of its own
    const HeadOfLayer head{1, 2};
    const ModelTrace& own = passOf(*base_, levels[3].reading.stack);
    Tensor rows = headOutput(own, head);
    std::ranges::fill(rows.mutableMatrix().row(levels[3].reading.place), 0.0F);
    const auto document = withHeadOutput(own, head, rows);
    const ModelTracePtr after =
        inEncoder ? withEncoder(document) : runModel(document, base_, {}, kBudgetBytes);
    const auto scoreOf = [](const ModelTrace& trace) {
      return double{trace.layer(3)->value({TensorId::scores, 0, 0, kAskedThere.row, 5})};
    };
    EXPECT_NEAR(withoutParts(base_, kAskedThere, levels, 1).followed->total,
                scoreOf(*after) - scoreOf(*base_), 2e-5);
  }
}

/// Followed by itself, a chain leads through the cross-attention to a word of the source.
TEST_P(BothStacks, TheStrongestStepsLeadIntoTheEncoder) {
  std::vector<WhyStep> steps;
  bool inEncoder = false;
  for (int i = 0; i < 12 && !inEncoder; ++i) {
    const WhyLevel level = whyLevels(*base_, kAskedThere, steps).back();
    inEncoder = level.parts && level.reading.stack == Stack::encoder;
    // from the logit to the strongest head of cross-attention, then as the chain goes on
    if (i > 0) {
      const auto next = strongestStep(level);
      if (!next) break;
      steps.push_back(*next);
      continue;
    }
    steps.push_back({.kind = Kind::head, .head = {base_->layers() - 1, 2}});
  }
  EXPECT_TRUE(inEncoder);
  EXPECT_EQ(steps[1].kind, Kind::value);
}

TEST_P(BothStacks, TheEncoderIsSteeredAsAnyModel) {
  std::vector<float> direction(static_cast<std::size_t>(model_->config().dModel), 0.25F);
  direction[3] = -2.0F;
  const ModelTracePtr after =
      withEncoder(withSteering(encoder().document(), {1, Steering::kEveryPlace, direction}));
  const Tensor& was = encoder().hidden(2);
  const Tensor& is = passOf(*after, Stack::encoder).hidden(2);
  EXPECT_NEAR(is.at({0, 4, 3}), was.at({0, 4, 3}) - 2.0F, 1e-6);
  EXPECT_GT(std::abs(metricOf(*after) - metricOf(*base_)), 1e-5);
  // a chain over the steered encoder still adds up
  const auto levels =
      whyLevels(*after, kAskedThere,
                {{.kind = Kind::head, .head = {3, 1}}, {.kind = Kind::value, .source = 2}});
  EXPECT_NEAR(levels[2].sum, levels[2].value, 1e-4 * largestOfLevel(levels[2]));
  EXPECT_NE(std::ranges::find(*levels[2].parts, WriterKind::steering, &WrittenPart::kind),
            levels[2].parts->end());
}

/// ‖W_QK‖² = ⟨W_Q W_Qᵀ, W_K W_Kᵀ⟩, with W_K as it reads the encoder's stream.
TEST_P(BothStacks, CircuitsOfCrossAttentionReadTheEncodersStream) {
  const auto all = headCircuits(*model_, {}).value();
  const auto ofEncoder = headCircuits(*model_->encoder(), {}).value();
  ASSERT_EQ(std::ssize(all), base_->layers() * model_->config().heads);
  ASSERT_EQ(std::ssize(ofEncoder), encoder().layers() * encoder().config().heads);
  EXPECT_FALSE(ofEncoder.front().copying) << "the encoder says no words";
  const ModelConfig& c = model_->config();
  const HeadOfLayer head{3, 2};
  const LayerWeightsPtr layer = model_->layer(head.layer);
  // rows as they read a stream: times the gain, less their mean where the norm centres
  const auto rows = [&](const Tensor& weight, const Tensor& gain) {
    std::vector<std::vector<double>> read;
    for (Index i = head.head * c.headDim; i < (head.head + 1) * c.headDim; ++i) {
      std::vector<double>& row = read.emplace_back();
      double mean = 0.0;
      for (Index j = 0; j < c.dModel; ++j) {
        row.push_back(double{weight.at({i, j})} * (gain.empty() ? 1.0 : double{gain.at({j})}));
        mean += row.back() / static_cast<double>(c.dModel);
      }
      for (double& x : row) x -= gain.empty() || c.rmsNorm ? 0.0 : mean;
    }
    return read;
  };
  const auto q = rows(layer->attention.wQ, c.preNorm ? layer->attentionNorm.gain : Tensor());
  const auto k = rows(layer->attention.wK, model_->encoder()->readout()->norm.gain);
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  double squares = 0.0, found = 0.0;
  for (std::size_t a = 0; a < q.size(); ++a) {
    for (std::size_t b = 0; b < q.size(); ++b) squares += dot(q[a], q[b]) * dot(k[a], k[b]);
  }
  const auto& own = all[static_cast<std::size_t>(head.layer * c.heads + head.head)];
  for (const double value : own.qk) found += value * value;
  EXPECT_NEAR(found / squares, 1.0, 1e-4);
  EXPECT_TRUE(own.copying) << "the stacks share their tokens here";
  const HeadDirections directions = headDirections(*model_, head, 2, 3, {});
  EXPECT_EQ(directions.qk.size(), 4U);
  EXPECT_EQ(directions.ov.size(), 4U);
}

TEST_P(BothStacks, OnlyQueriesOfCrossAttentionComposeWithinTheDecoder) {
  const Compositions found = composeHeads(*model_, {}).value();
  const Composition with = found.valuesAlone() ? Composition::value : Composition::key;
  EXPECT_FALSE(found.has(Composition::value, 1));
  EXPECT_FALSE(found.has(Composition::key, 3));
  EXPECT_EQ(found.has(Composition::query, 3), !found.valuesAlone());
  EXPECT_TRUE(found.has(with, 2));
  for (const ComposedHeads& pair : found.strongestOf({3, 1}, 100)) {
    const bool intoCross = pair.into.layer % 2 == 1;
    EXPECT_TRUE(!intoCross || pair.kind == Composition::query);
  }
  double sum = 0.0;
  Index pairs = 0;
  for (const ComposedHeads& pair : found.strongest(Composition::value, 100'000)) {
    EXPECT_EQ(pair.into.layer % 2, 0);
    sum += pair.score;
    ++pairs;
  }
  EXPECT_NEAR(found.mean(Composition::value), sum / static_cast<double>(pairs), 1e-9);
}

TEST(Stacks, AModelOfOneStackHasNoEncoder) {
  const ModelTracePtr trace =
      runModel(documentOf(formats::openModel(modelFolder("tiny-gpt2"), kBudgetBytes), {5, 17}),
               nullptr, {}, kBudgetBytes);
  expectUserError([&] { passOf(*trace, Stack::encoder); }, "one stack", "without an encoder");
  EXPECT_EQ(stacksOf(*trace), std::vector<Stack>{Stack::decoder});
}

}  // namespace
}  // namespace headscope::test::models
