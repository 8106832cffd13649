// From words to prediction: the logit lens, the contribution of each part of a model to a logit,
// and a replaced output of a head.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/document/trace.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "core/model/head_output.h"
#include "core/model/logit_lens.h"
#include "core/model/logit_parts.h"
#include "tests/core/test_files.h"

namespace headscope::test::model_prediction {
namespace {

using namespace headscope::model;

constexpr Index kBudget = Index{1} << 30;

ModelTracePtr pass(const std::string& name, std::vector<Index> ids) {
  const auto model = formats::openModel(std::filesystem::path(HEADSCOPE_TEST_DATA) / name, kBudget);
  return runModel(makeModelDocument(model, {std::move(ids), {}, {}}), nullptr, {}, kBudget);
}

ModelTracePtr again(const ModelDocumentPtr& document, const ModelTracePtr& before) {
  return runModel(document, before, {}, kBudget);
}

/// Attention alone, without norms.
ModelTracePtr induction() {
  const auto model = formats::openModel(formats::kInductionModel, kBudget);
  return runModel(makeModelDocument(model, {{3, 7, 1, 12, 3, 7}, {}, {}}), nullptr, {}, kBudget);
}
ModelTracePtr gpt2() { return pass("tiny-gpt2", {283, 271, 84, 396, 278, 262}); }
ModelTracePtr llama() { return pass("tiny-llama", {1, 65, 77, 5, 78, 46, 50}); }
ModelTracePtr bert() { return pass("tiny-bert", {2, 17, 5, 80, 3}); }

class LensOf : public testing::TestWithParam<ModelTracePtr (*)()> {};
INSTANTIATE_TEST_SUITE_P(All, LensOf, testing::Values(&gpt2, &llama, &bert, &induction));

TEST_P(LensOf, EndsWithWhatTheModelSays) {
  const ModelTracePtr trace = GetParam()();
  for (Index row = 0; row < trace->tokens(); ++row) {
    const auto says = trace->predictions(row, 3);
    const auto lens = logitLens(*trace, row, says[2].id, {}).value();
    const Index halves = trace->config().attentionOnly ? 1 : 2;
    ASSERT_EQ(std::ssize(lens), halves * trace->layers() + 1);
    EXPECT_EQ(halfInWords(trace->config(), lens[static_cast<std::size_t>(halves)].half),
              halves == 1 ? "layer 1 attention" : "layer 1 FFN");
    EXPECT_EQ(lens.back().best.id, says[0].id);
    EXPECT_NEAR(lens.back().best.probability, says[0].probability, 1e-6);
    EXPECT_EQ(lens.back().word.rank, 2);
    EXPECT_NEAR(lens.back().word.token.probability, says[2].probability, 1e-6);
    for (const LensDepth& depth : lens) {
      EXPECT_GE(depth.best.probability, depth.word.token.probability);
      EXPECT_EQ(depth.word.token.id, says[2].id);
    }
    EXPECT_NE(lens.front().best.logit, lens.back().best.logit);
  }
}

/// The embedding alone, through norm and readout, worked out here in double.
TEST(LogitLens, StartsWithTheEmbedding) {
  const ModelTracePtr trace = llama();
  const Model& model = *trace->document().model;
  const auto readout = model.readout();
  const Index width = trace->config().dModel;
  const auto lens = logitLens(*trace, 2, 11, {}).value();
  const Tensor tokens = model.embedding()->tokens.widened(), words = readout->decoder.widened();
  const float* x = tokens.data() + 77 * width;
  double squares = 0.0, logit = 0.0;
  for (Index j = 0; j < width; ++j) squares += static_cast<double>(x[j]) * x[j];
  const double scale =
      1.0 / std::sqrt(squares / static_cast<double>(width) + trace->config().normEpsilon);
  for (Index j = 0; j < width; ++j) {
    logit += static_cast<double>(x[j]) * scale * readout->norm.gain.data()[j] *
             words.data()[11 * width + j];
  }
  EXPECT_NEAR(lens[0].word.token.logit, logit, 1e-5 * std::max(1.0, std::abs(logit)));
}

class PartsOf : public testing::TestWithParam<ModelTracePtr (*)()> {};
INSTANTIATE_TEST_SUITE_P(All, PartsOf, testing::Values(&gpt2, &llama, &bert, &induction));

TEST_P(PartsOf, AddUpToTheLogit) {
  const ModelTracePtr whole = GetParam()();
  const ModelTracePtr edited = again(withoutHeads(whole->document(), {{0, 1}, {1, 3}}), whole);
  for (const ModelTracePtr& trace : {whole, edited}) {
    for (Index row = 0; row < trace->tokens(); ++row) {
      const auto says = trace->predictions(row, 2);
      for (const Index word : {says[0].id, says[1].id, Index{7}}) {
        const LogitParts one = logitParts(*trace, row, word, std::nullopt, {}).value();
        double largest = std::abs(one.logit);
        for (const WrittenPart& part : one.parts) largest = std::max(largest, std::abs(part.value));
        EXPECT_NEAR(one.sum, one.logit, 1e-5 * largest) << row << ' ' << word;
        const LogitParts two = logitParts(*trace, row, word, Index{9}, {}).value();
        const LogitParts other = logitParts(*trace, row, 9, std::nullopt, {}).value();
        EXPECT_NEAR(two.sum, one.sum - other.sum, 1e-5 * largest);
        ASSERT_EQ(two.parts.size(), one.parts.size());
        for (std::size_t i = 0; i < two.parts.size(); ++i) {
          EXPECT_NEAR(two.parts[i].value, one.parts[i].value - other.parts[i].value, 1e-9);
        }
      }
    }
  }
  const LogitParts off = logitParts(*edited, 3, 7, std::nullopt, {}).value();
  EXPECT_EQ(off.headPart(0, 1), 0.0);
  EXPECT_EQ(off.headPart(1, 3), 0.0);
  EXPECT_NE(off.headPart(1, 2), 0.0);
}

TEST(LogitParts, AreThoseOfATokenAndAWordThatExist) {
  expectUserError([&] { logitParts(*gpt2(), 6, 5, std::nullopt, {}); }, "token 6", "0 to 5");
  expectUserError([&] { logitParts(*gpt2(), 0, 400, std::nullopt, {}); }, "id 400", "0 to 399");
  expectUserError([&] { logitLens(*bert(), -1, 5, {}); }, "token -1");
}

TEST(HeadOutput, OfItsOwnChangesNothing) {
  const ModelTracePtr before = llama();
  const ModelTracePtr same =
      again(withHeadOutput(*before, {0, 2}, headOutput(*before, {0, 2})), before);
  EXPECT_EQ(same->last().values(), before->last().values());
}

TEST(HeadOutput, OfZeroIsTheHeadSwitchedOff) {
  const ModelTracePtr before = gpt2();
  const Tensor zero = Tensor::zeros({before->tokens(), before->config().headDim});
  const ModelTracePtr patched = again(withHeadOutput(*before, {0, 1}, zero), before);
  const ModelTracePtr off = again(withoutHeads(before->document(), {{0, 1}}), before);
  EXPECT_EQ(patched->last().values(), off->last().values());
}

TEST(HeadOutput, CanBeItsMeanOrThatOfAnotherText) {
  const ModelTracePtr before = gpt2();
  const HeadOfLayer head{0, 3};
  const Tensor own = headOutput(*before, head);
  const Tensor mean = meanOfRows(own);
  double total = 0.0;
  for (Index i = 0; i < own.dim(0); ++i) total += static_cast<double>(own.at({i, 2}));
  EXPECT_NEAR(mean.at({4, 2}), total / static_cast<double>(own.dim(0)), 1e-6);
  const ModelTracePtr averaged = again(withHeadOutput(*before, head, mean), before);
  EXPECT_EQ(headOutput(*averaged, head).values(), mean.values());

  const ModelTracePtr other = pass("tiny-gpt2", {9, 10, 11, 12, 13, 14});
  const ModelTracePtr patched =
      again(withHeadOutput(*before, head, headOutput(*other, head)), before);
  EXPECT_EQ(headOutput(*patched, head).values(), headOutput(*other, head).values());
  EXPECT_NE(patched->last().values(), before->last().values());
  EXPECT_EQ(headOutput(*patched, {0, 1}).values(), headOutput(*before, {0, 1}).values());

  const ModelTracePtr shorter = pass("tiny-gpt2", {9, 10});
  expectUserError([&] { withHeadOutput(*before, head, headOutput(*shorter, head)); }, "2 tokens",
                  "this one 6", "equally many");
  expectUserError([&] { headOutput(*before, {2, 0}); }, "layer 2");
}

/// The direct effect leaves out the contribution through later layers; without later layers, and
/// with nearly the same scale of the norm, it is nearly the whole effect.
TEST_P(PartsOf, AHeadsDirectEffectIsItsPartsDifference) {
  const ModelTracePtr before = GetParam()();
  const Index row = before->tokens() - 1, word = before->predictions(row, 1)[0].id;
  for (const HeadOfLayer head : {HeadOfLayer{0, 1}, HeadOfLayer{1, 2}}) {
    Tensor change = headOutput(*before, head);
    for (float& x : change.mutableMatrix().row(row)) x = -x;
    const double direct =
        DirectPath(*before, row, word, std::nullopt).ofHead(head, change.matrix().row(row));
    const LogitParts parts = logitParts(*before, row, word, std::nullopt, {}).value();
    EXPECT_NEAR(direct, -parts.headPart(head.layer, head.head), 1e-9);
  }
}

class ReplacedIn : public testing::TestWithParam<ModelTracePtr (*)()> {};
INSTANTIATE_TEST_SUITE_P(All, ReplacedIn, testing::Values(&gpt2, &llama, &bert, &induction));

TEST_P(ReplacedIn, TellsWhatBecomesOfThePrediction) {
  const ModelTracePtr before = GetParam()();
  const HeadOfLayer head{0, 1};
  const Tensor mean = meanOfRows(headOutput(*before, head));
  const ModelTracePtr after = again(withHeadOutput(*before, head, mean), before);
  const Index row = 3, word = before->predictions(row, 2)[1].id, other = 4;
  const HeadReplaced found = replaceHead(before, head, mean, row, word, other, {}).value();
  const auto difference = [&](const ModelTracePtr& trace) {
    const Tensor logits = trace->logits(row, 1);
    return static_cast<double>(logits.data()[word]) - static_cast<double>(logits.data()[other]);
  };
  EXPECT_EQ(found.logitBefore, difference(before));
  EXPECT_EQ(found.logitAfter, difference(after));
  std::vector<float> change(mean.matrix().row(row).begin(), mean.matrix().row(row).end());
  const Tensor own = headOutput(*before, head);
  for (std::size_t j = 0; j < change.size(); ++j) change[j] -= own.matrix().row(row)[j];
  ASSERT_TRUE(found.direct);
  EXPECT_EQ(*found.direct, DirectPath(*before, row, word, other).ofHead(head, change));
  EXPECT_NE(*found.direct, 0.0);
  for (const Index asked : {word, other, after->predictions(row, 1)[0].id}) {
    const auto at = std::find_if(found.words.begin(), found.words.end(),
                                 [&](const auto& each) { return each.id == asked; });
    ASSERT_NE(at, found.words.end()) << asked;
    const Tensor was = before->logits(row, 1), is = after->logits(row, 1);
    EXPECT_EQ(at->before, standingOf(was.matrix({0}).row(0), asked).token.probability);
    EXPECT_EQ(at->after, standingOf(is.matrix({0}).row(0), asked).token.probability);
  }
  for (std::size_t i = 1; i < found.words.size(); ++i) {
    EXPECT_GE(found.words[i - 1].before, found.words[i].before);
  }
}

TEST(HeadOutput, IsReplacedLayerByLayer) {
  const ModelTracePtr before = gpt2();
  const Tensor zero = Tensor::zeros({before->tokens(), before->config().headDim});
  HeadReplacement replacement(before, {0, 1}, zero, 3, 7, {}, {});
  int units = 1;
  for (; !replacement.runUnit(); ++units) EXPECT_FALSE(replacement.found());
  EXPECT_EQ(units, 2) << "two layers";
  const HeadReplaced found = replacement.found().value();
  const HeadReplaced inOne = replaceHead(before, {0, 1}, zero, 3, 7, {}, {}).value();
  EXPECT_EQ(found.logitAfter, inOne.logitAfter);
  EXPECT_EQ(found.direct, inOne.direct);
}

TEST(HeadOutput, BehindTheLastHeadOfAttentionAloneNothingStands) {
  const ModelTracePtr before = induction();
  const HeadOfLayer last{1, 2};
  EXPECT_EQ(afterHeadInWords(before->config(), last), "");
  EXPECT_EQ(afterHeadInWords(before->config(), {0, 2}), "later layers");
  EXPECT_EQ(afterHeadInWords(gpt2()->config(), {1, 0}),
            "its layer's network and the final norm's scale");
  EXPECT_EQ(afterHeadInWords(bert()->config(), {1, 0}),
            "its layer's network, the norms' scales and the masked-word head");
  const Tensor zero = Tensor::zeros({before->tokens(), before->config().headDim});
  const Index row = 5, word = before->predictions(row, 1)[0].id;
  const HeadReplaced found = replaceHead(before, last, zero, row, word, {}, {}).value();
  EXPECT_NEAR(found.total(), *found.direct, 1e-4 * std::max(1.0, std::abs(found.logitBefore)));
}

}  // namespace
}  // namespace headscope::test::model_prediction
