// Steering against residual streams that are replaced by steered ones, and of what reads a steered
// pass: generation, patched runs, sums over writers.
#include "core/model/steering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/formats/numpy_files.h"
#include "core/model/generation.h"
#include "core/model/logit_parts.h"
#include "core/model/sweep.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

const std::vector<Index> kSteeredIds{5, 17, 3, 40, 5, 17, 9};

ModelTracePtr steeredPass(const ModelDocumentPtr& document,
                          const ModelTracePtr& previous = nullptr) {
  return runModel(document, previous, {}, kBudgetBytes);
}

std::vector<float> someDirection(Index width) {
  std::vector<float> direction(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < direction.size(); ++i) {
    direction[i] = 0.3F * std::sin(static_cast<float>(i * i + 1));
  }
  return direction;
}

class Steered : public testing::TestWithParam<std::string> {
 protected:
  const ModelPtr model_ = formats::openModel(modelFolder(GetParam()), kBudgetBytes);
  const ModelDocumentPtr plain_ = makeModelDocument(model_, {kSteeredIds, {}, {}});
  const Index last_ = std::ssize(kSteeredIds) - 1;

  ModelDocumentPtr steeredBy(Index layer, Index place = Steering::kEveryPlace) const {
    return withSteering(*plain_, {layer, place, someDirection(model_->config().dModel)});
  }
};
INSTANTIATE_TEST_SUITE_P(Models, Steered,
                         testing::Values("deepseek_v3", "gemma2", "gptj", "llama_dynamic",
                                         "mixtral", "modernbert", "opt", "tiny-bert", "tiny-gpt2"),
                         modelTestName);

TEST_P(Steered, IsAResidualStreamWithTheDirectionAdded) {
  const ModelTracePtr base = steeredPass(plain_);
  const std::vector<float> direction = someDirection(model_->config().dModel);
  for (Index layer = 0; layer < base->layers(); ++layer) {
    for (const Index place : {Steering::kEveryPlace, Index{2}}) {
      Tensor rows = valuesOfPart(*base, Site::residual, layer, 0).clone();
      for (Index row = 0; row < rows.dim(0); ++row) {
        if (place >= 0 && row != place) continue;
        const std::span<float> to = rows.mutableMatrix().row(row);
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += direction[i];
      }
      const AskedWord asked{last_, 21, {}};
      PatchedRuns runs(base, {{Site::residual, layer, 0, Patch::kEveryPlace, rows}}, asked, {});
      while (!runs.runUnit()) continue;
      const double metric = runs.effects().front().metric;
      const ModelTracePtr after = steeredPass(steeredBy(layer, place));
      EXPECT_NEAR(static_cast<double>(after->logits(last_, 1).data()[21]), metric, 2e-5);
      if (place < 0) {
        EXPECT_GT(std::abs(metric - runs.base().metric), 1e-4) << "it steers";
      }
      // what was computed before is taken where it is the same
      const ModelTracePtr again = steeredPass(steeredBy(layer, place), base);
      EXPECT_EQ(again->logits(last_, 1).values(), after->logits(last_, 1).values());
      // the layer before runs again, since only its sum with the direction is kept
      EXPECT_EQ(again->layersRun(), base->layers() - std::max<Index>(0, layer - 1));
      EXPECT_EQ(steeredPass(plain_, after)->logits(last_, 1).values(),
                base->logits(last_, 1).values());
    }
  }
}

TEST_P(Steered, ContinuesAsAPassOverAllTokens) {
  if (!model_->config().causal) {
    EXPECT_FALSE(whyNoGeneration(*model_).empty());
    return;
  }
  for (const Index place : {Steering::kEveryPlace, Index{2}}) {
    const ModelDocumentPtr document = steeredBy(1, place);
    Decoder decoder(steeredPass(document), 3);
    std::vector<Index> ids = kSteeredIds;
    for (const Index id : {30, 4}) {
      ASSERT_TRUE(decoder.feed(id, {}));
      ids.push_back(id);
      const Tensor logits =
          steeredPass(withInput(*document, {ids, {}, {}}))->logits(std::ssize(ids) - 1, 1);
      for (std::size_t word = 0; word < decoder.logits().size(); ++word) {
        EXPECT_NEAR(decoder.logits()[word], logits.data()[word], 2e-4) << word;
      }
    }
  }
}

TEST_P(Steered, PatchesOfOwnValuesChangeNothing) {
  const ModelTracePtr base = steeredPass(steeredBy(1));
  for (const SweepOver over : {SweepOver::heads, SweepOver::layers, SweepOver::places}) {
    PatchedRuns runs(base, patchesOver(over, *base, valuesFrom(base)), {last_, 21, {}}, {});
    while (!runs.runUnit()) continue;
    for (const PatchEffect& effect : runs.effects()) {
      EXPECT_NEAR(effect.metric, runs.base().metric, 2e-5);
    }
  }
}

TEST_P(Steered, IsAWriterOfTheStream) {
  const ModelTracePtr trace = steeredPass(steeredBy(1));
  for (Index layer = 0; layer <= trace->layers(); ++layer) {
    const StreamParts parts = streamParts(*trace, layer, 3);
    const auto found = std::ranges::find(parts.writers, Writer{WriterKind::steering, 1, -1});
    EXPECT_EQ(found != parts.writers.end(), layer >= 1);
    const Tensor stream = trace->hidden(2 * layer);
    for (Index i = 0; i < parts.rows.cols; ++i) {
      double sum = 0.0;
      for (std::size_t row = 0; row < parts.writers.size(); ++row) {
        sum += parts.rows.row(static_cast<Index>(row))[static_cast<std::size_t>(i)];
      }
      EXPECT_NEAR(sum, static_cast<double>(stream.matrix({0})(3, i)), 1e-4);
    }
  }
}

/// The heads' additions and the bias are what the attention adds.
TEST(Steering, AHeadsDirectionIsWhatItAdds) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const ModelTracePtr trace = steeredPass(makeModelDocument(model, {kSteeredIds, {}, {}}));
  const ModelConfig& c = model->config();
  std::vector<double> sum(static_cast<std::size_t>(c.dModel), 0.0);
  for (Index head = 0; head < c.heads; ++head) {
    const std::vector<float> added = headAdditionAt(*trace, {1, head}, 4);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(added[i]);
  }
  const Tensor all = valuesOfPart(*trace, Site::attention, 1, 0);
  const StreamParts parts = streamParts(*trace, 2, 4);
  const auto bias = std::ranges::find(parts.writers, Writer{WriterKind::attentionBias, 1, -1});
  ASSERT_NE(bias, parts.writers.end());
  const auto biases = parts.rows.row(bias - parts.writers.begin());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(sum[i] + biases[i], static_cast<double>(all.matrix()(4, static_cast<Index>(i))),
                1e-5);
  }
  EXPECT_EQ(addition(2.0, {3.0F, 1.0F}, {1.0F, 1.0F}), (std::vector<float>{4.0F, 0.0F}));
  EXPECT_EQ(addition(2.0, {3.0F, 1.0F}, {}), (std::vector<float>{6.0F, 2.0F}));
  EXPECT_EQ(lengthOf({3.0F, 4.0F}), 5.0);
}

TEST(Steering, RefusesWhatDoesNotFit) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const ModelDocumentPtr document = makeModelDocument(model, {kSteeredIds, {}, {}});
  const std::vector<float> right = someDirection(model->config().dModel);
  expectUserError([&] { withSteering(*document, {2, 0, right}); }, "no layer 2", "0 to 1");
  expectUserError([&] { withSteering(*document, {1, 7, right}); }, "no token 7", "0 to 6");
  expectUserError([&] { withSteering(*document, {1, 0, {1.0F}}); }, "1 coordinates", "32");
  std::vector<float> infinite = right;
  infinite[3] = std::numeric_limits<float>::infinity();
  expectUserError([&] { withSteering(*document, {1, 0, infinite}); }, "smaller strength");
  const ModelTracePtr trace = steeredPass(document);
  expectUserError([&] { streamAt(*trace, 5, 0); }, "no layer 5");
  expectUserError([&] { headAdditionAt(*trace, {0, 9}, 0); }, "no head 9");
  // what steers a place that a shorter text lacks is dropped
  const auto shorter = withInput(*withSteering(*document, {1, 6, right}), {{1, 2}, {}, {}});
  EXPECT_TRUE(shorter->steering.empty());
}

TEST(NumPyFiles, AreReadAsTheyAreWritten) {
  const TempFolder folder;
  const Tensor tensor = Tensor::fromValues({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  formats::writeNpy(folder / "a.npy", tensor);
  EXPECT_EQ(formats::readNpy(folder / "a.npy").values(), tensor.values());
  const std::string whole = readAll(folder / "a.npy");
  folder.file("cut.npy", whole.substr(0, whole.size() - 3));
  folder.file("text.npy", "no array");
  std::string whole2 = whole;
  whole2.replace(whole2.find("<f4"), 3, "<i4");
  folder.file("whole.npy", whole2);
  expectUserError([&] { formats::readNpy(folder / "cut.npy"); }, "cut.npy", "cut short");
  expectUserError([&] { formats::readNpy(folder / "text.npy"); }, "text.npy", "no NumPy array");
  expectUserError([&] { formats::readNpy(folder / "whole.npy"); }, "whole.npy", "other numbers");
}

}  // namespace
}  // namespace headscope::test::models
