// Patched runs and sweeps against what transformers computes with hooks in float64, and against
// runs of one patch at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/model/attribution_patching.h"
#include "core/model/head_output.h"
#include "core/model/logit_parts.h"
#include "core/model/sweep.h"
#include "tests/core/support/circuits.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

/// Values computed in float32 may differ from those in float64 by this part of the largest.
constexpr double kPatchRounding = 1e-5;

ModelTracePtr passOver(const ModelPtr& model, const std::vector<Index>& ids) {
  return runModel(makeModelDocument(model, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
}

std::vector<PatchEffect> effectsOf(const ModelTracePtr& base, const std::vector<Patch>& patches,
                                   const AskedWord& asked) {
  PatchedRuns runs(base, patches, asked, {});
  while (!runs.runUnit()) continue;
  EXPECT_EQ(runs.unitsDone(), runs.units());
  return runs.effects();
}

class AgainstHooks : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, AgainstHooks,
                         testing::ValuesIn(std::vector<std::string>(std::begin(kCircuits),
                                                                    std::end(kCircuits))),
                         modelTestName);

TEST_P(AgainstHooks, EveryPatchGivesTheirLogits) {
  const Circuit golden(GetParam());
  const auto expectLogits = [&](const std::string& tensor, const ModelTracePtr& base,
                                SweepOver over, const NewValues& values) {
    const std::vector<float> expected = golden.tensor(tensor).values();
    const auto largest = static_cast<double>(
        std::abs(*std::ranges::max_element(expected, {}, [](float x) { return std::abs(x); })));
    const std::vector<Patch> patches = patchesOver(over, *base, values);
    const auto words = static_cast<std::size_t>(golden.model()->config().vocabulary);
    ASSERT_EQ(expected.size(), patches.size() * words);
    for (std::size_t word = 0; word < words; word += 13) {
      const auto effects =
          effectsOf(base, patches, {base->tokens() - 1, static_cast<Index>(word), {}});
      ASSERT_EQ(effects.size(), patches.size());
      for (std::size_t i = 0; i < effects.size(); ++i) {
        EXPECT_NEAR(effects[i].metric, static_cast<double>(expected[i * words + word]),
                    kPatchRounding * largest)
            << tensor << ", patch " << i << ", word " << word;
      }
    }
  };
  const NewValues fromClean = valuesFrom(golden.pass("clean"));
  expectLogits("head_patched", golden.pass("corrupt"), SweepOver::heads, fromClean);
  expectLogits("head_zeroed", golden.pass("clean"), SweepOver::heads, zeros());
  expectLogits("residual_patched", golden.pass("corrupt"), SweepOver::places, fromClean);
}

class PatchedIn : public testing::TestWithParam<std::string> {
 protected:
  ModelTracePtr pass(const std::vector<Index>& ids) const {
    return passOver(formats::openModel(modelFolder(GetParam()), kBudgetBytes), ids);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, PatchedIn,
                         testing::Values("bloom", "cohere", "deepseek_v3", "falcon", "gemma3_text",
                                         "glm4", "gpt_oss", "gptj", "granite", "llama_dynamic",
                                         "mixtral", "modernbert", "mpt", "olmo2", "phi3", "smollm3",
                                         "stablelm", "starcoder2", "tiny-bert", "tiny-gpt2"),
                         modelTestName);

const std::vector<Index> kPatchedIds{5, 17, 3, 40, 5, 17, 9},
    kOtherPatchedIds{11, 2, 30, 8, 44, 1, 23};

/// Many patches that run together give what each gives alone.
TEST_P(PatchedIn, HeadsTogetherAreEachHeadAlone) {
  const ModelTracePtr base = pass(kPatchedIds), other = pass(kOtherPatchedIds);
  const AskedWord asked{4, 21, 12};
  const auto patches = patchesOver(SweepOver::heads, *base, valuesFrom(other));
  const auto effects = effectsOf(base, patches, asked);
  ASSERT_EQ(std::ssize(effects), base->layers() * base->config().heads);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const HeadOfLayer head{patches[i].layer, patches[i].head};
    const ModelTracePtr after =
        runModel(withHeadOutput(*base, head, headOutput(*other, head)), base, {}, kBudgetBytes);
    const Tensor logits = after->logits(asked.row, 1);
    const double metric = static_cast<double>(logits.data()[asked.word]) -
                          static_cast<double>(logits.data()[*asked.other]);
    EXPECT_NEAR(effects[i].metric, metric, 2e-5) << "head " << i;
    EXPECT_NEAR(effects[i].probability,
                standingOf(logits.matrix({0}).row(0), asked.word).token.probability, 1e-6);
    EXPECT_EQ(effects[i].direct.has_value(), DirectPath::exists(*base->document().model));
    EXPECT_GE(effects[i].divergence, 0.0);
  }
}

/// A part replaced by itself changes nothing; a part that is replaced wholly carries all there is.
TEST_P(PatchedIn, OwnValuesChangeNothing) {
  const ModelTracePtr base = pass(kPatchedIds);
  const AskedWord asked{6, 21, 12};
  for (const SweepOver over : {SweepOver::heads, SweepOver::layers, SweepOver::places,
                               SweepOver::queries, SweepOver::keys, SweepOver::values}) {
    PatchedRuns runs(base, patchesOver(over, *base, valuesFrom(base)), asked, {});
    while (!runs.runUnit()) continue;
    for (const PatchEffect& effect : runs.effects()) {
      EXPECT_NEAR(effect.metric, runs.base().metric, 2e-5);
      EXPECT_NEAR(effect.divergence, 0.0, 1e-9);
      EXPECT_NEAR(effect.direct.value_or(0.0), 0.0, 1e-9);
    }
  }
}

TEST_P(PatchedIn, TheWholeStreamOfAnotherTextIsThatText) {
  const ModelTracePtr base = pass(kPatchedIds), other = pass(kOtherPatchedIds);
  const AskedWord asked{6, 21, 12};
  std::vector<Patch> patches;
  for (Index layer = 0; layer < base->layers(); ++layer) {
    patches.push_back({Site::residual, layer, 0, Patch::kEveryPlace,
                       valuesOfPart(*other, Site::residual, layer, 0)});
  }
  const Tensor logits = other->logits(asked.row, 1);
  const double metric = static_cast<double>(logits.data()[asked.word]) -
                        static_cast<double>(logits.data()[*asked.other]);
  for (const PatchEffect& effect : effectsOf(base, patches, asked)) {
    EXPECT_NEAR(effect.metric, metric, 2e-5);
  }
}

/// With the norms held, a half layer reaches the logits directly by its part in them.
TEST_P(PatchedIn, TheDirectEffectOfALayersHalfIsItsPart) {
  const ModelTracePtr base = pass(kPatchedIds);
  const AskedWord asked{6, 21, 12};
  const auto patches = patchesOver(SweepOver::layers, *base, zeros());
  const auto effects = effectsOf(base, patches, asked);
  const LogitParts parts = logitParts(*base, asked.row, asked.word, asked.other, {}).value();
  for (std::size_t i = 0; i < patches.size(); ++i) {
    double part = 0.0;
    for (const WrittenPart& each : parts.parts) {
      if (each.layer != patches[i].layer) continue;
      const bool network = each.kind == WriterKind::feedForward;
      if (network == (patches[i].site == Site::network)) part += each.value;
    }
    EXPECT_NEAR(effects[i].direct.value(), -part, 1e-6) << i;
  }
}

/// Values that differ by little have the effect that the gradient says, at every site: half the
/// difference of the effects of a step toward the other text's values and of one away from them.
TEST_P(AgainstHooks, EstimatesAreTheFirstOrderOfTheEffects) {
  const Circuit circuit(GetParam());
  const ModelTracePtr base = circuit.pass("clean");
  const std::vector<Index> answers = circuit.ids("answers");
  const AskedWord asked{base->tokens() - 1, answers[0], answers[1]};
  for (const SweepOver over : {SweepOver::heads, SweepOver::layers, SweepOver::places,
                               SweepOver::queries, SweepOver::keys, SweepOver::values}) {
    const auto whole = patchesOver(over, *base, valuesFrom(circuit.pass("corrupt")));
    std::vector<Patch> toward = whole, away = whole;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const Patch& patch = whole[i];
      Tensor own = valuesOfPart(*base, patch.site, patch.layer, patch.head);
      if (patch.place >= 0) own = own.slice(0, patch.place, patch.place + 1).clone();
      toward[i].rows = own.clone();
      away[i].rows = own.clone();
      for (Index j = 0; j < own.size(); ++j) {
        const float step = (patch.rows.data()[j] - own.data()[j]) / 400.0F;
        toward[i].rows.mutableData()[j] += step;
        away[i].rows.mutableData()[j] -= step;
      }
    }
    const auto effects = [&](const std::vector<Patch>& patches) {
      PatchedRuns runs(base, patches, asked, {});
      while (!runs.runUnit()) continue;
      return runs.effects();
    };
    const auto estimates = estimatedEffects(base, toward, asked, {});
    const auto there = effects(toward), back = effects(away);
    double largest = 0.0;
    for (const double estimate : estimates) largest = std::max(largest, std::abs(estimate));
    EXPECT_GT(largest, 1e-6);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_NEAR(estimates[i], 0.5 * (there[i].metric - back[i].metric), 0.02 * largest)
          << static_cast<int>(over) << ' ' << i;
    }
  }
}

/// A part that is replaced at each token in turn has a patch for each, of one row.
TEST(Patching, EachPlaceInTurnIsAPatchOfOneRow) {
  const ModelTracePtr base =
      passOver(formats::openModel(modelData("tiny-gpt2"), kBudgetBytes), {5, 17, 3});
  const auto whole = patchesOver(SweepOver::layers, *base, zeros());
  const auto each = patchesOver(SweepOver::layers, *base, zeros(), kEachPlace);
  ASSERT_EQ(each.size(), 3 * whole.size());
  for (std::size_t i = 0; i < each.size(); ++i) {
    EXPECT_TRUE(samePart(each[i], whole[i / 3]));
    EXPECT_EQ(each[i].place, static_cast<Index>(i % 3));
    EXPECT_EQ(each[i].rows.dim(0), 1);
  }
}

TEST(Patching, TheMeanIsThatOfAllTokensOfAllTexts) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const ModelTracePtr first = passOver(model, {5, 17, 3}), second = passOver(model, {40, 2});
  MeanValues means(SweepOver::layers);
  means.add(*first);
  means.add(*second);
  const Tensor a = valuesOfPart(*first, Site::network, 1, 0),
               b = valuesOfPart(*second, Site::network, 1, 0);
  double total = 0.0;
  for (Index row = 0; row < 3; ++row) total += static_cast<double>(a.at({row, 4}));
  for (Index row = 0; row < 2; ++row) total += static_cast<double>(b.at({row, 4}));
  EXPECT_NEAR(
      static_cast<double>(means.of({Site::network, 1, 0, Patch::kEveryPlace, {}}).data()[4]),
      total / 5.0, 1e-6);
}

TEST(Patching, RefusesWhatDoesNotFit) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const ModelTracePtr base = passOver(model, {5, 17, 3}), longer = passOver(model, {5, 17, 3, 4});
  const AskedWord asked{2, 21, {}};
  expectUserError([&] { patchesOver(SweepOver::heads, *base, valuesFrom(longer)); }, "4 tokens",
                  "this one 3", "equally many");
  const Tensor row = Tensor::zeros({1, 32});
  expectUserError(
      [&] {
        PatchedRuns(base, {{Site::residual, 2, 0, 0, row}}, asked, {});
      },
      "no layer 2");
  expectUserError(
      [&] {
        PatchedRuns(base, {{Site::residual, 1, 0, 3, row}}, asked, {});
      },
      "no token 3");
  expectUserError(
      [&] {
        PatchedRuns(base, {{Site::residual, 1, 0, 0, Tensor::zeros({2, 32})}}, asked, {});
      },
      "2 rows", "3 tokens");
  expectUserError([&] { PatchedRuns(base, {}, {2, 400, {}}, {}); }, "id 400");
}

TEST(Patching, EndsWhereItIsCancelled) {
  const ModelTracePtr base =
      passOver(formats::openModel(modelData("tiny-gpt2"), kBudgetBytes), {5, 17, 3});
  std::atomic<bool> cancelled{false};
  PatchedRuns runs(base, patchesOver(SweepOver::heads, *base, zeros()), {2, 21, {}},
                   {.cancelled = &cancelled});
  EXPECT_FALSE(runs.runUnit());
  cancelled = true;
  EXPECT_TRUE(runs.runUnit());
  EXPECT_TRUE(runs.effects().empty());
}

}  // namespace
}  // namespace headscope::test::models
