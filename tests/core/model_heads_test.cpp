// The behaviour of heads in whole models: on a text, on the probe of repeated random tokens, and
// together.
#include "core/model/model_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/attention/ledger.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/formats/model_directory.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/compositions.h"
#include "tests/core/test_files.h"

namespace headscope::test::model_heads {
namespace {

using namespace headscope::model;

constexpr Index kBudget = Index{1} << 30;

std::filesystem::path directoryOf(const std::string& name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / name;
}
ModelPtr modelOf(const std::string& name) { return formats::openModel(directoryOf(name), kBudget); }

MeasuredPass measured(const ModelDocumentPtr& document, const MeasuredPass* previous = nullptr,
                      Index budget = kBudget) {
  const ModelTracePtr before = previous != nullptr ? previous->trace : nullptr;
  ModelMeasure measure(runModel(document, before, {}, budget), previous, {});
  while (!measure.runUnit()) continue;
  return measure.measured().value();
}

void expectSame(const MeasuredPass& a, const MeasuredPass& b) {
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  ASSERT_EQ(a.labels.size(), b.labels.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.labels[i].rule, b.labels[i].rule);
    for (const MetricInfo& m : allMetrics()) {
      EXPECT_EQ(a.metrics[i][m.metric], b.metrics[i][m.metric]) << i << " " << m.key;
    }
  }
}

TEST(ModelHeads, AreThoseOfEachLayer) {
  const auto document = makeModelDocument(modelOf("tiny-gpt2"), {{283, 271, 84, 271, 84}, {}, {}});
  const MeasuredPass pass = measured(document);
  ASSERT_EQ(pass.metrics.size(), 8U);
  const auto last = headMetrics(*pass.trace->layer(1), 0).value();
  EXPECT_EQ(pass.metrics[placeOf({1, 2}, pass.trace->config())][Metric::induction],
            last[2][Metric::induction]);
  // earlier measurements are reused, whichever layers ran again
  expectSame(measured(document, &pass), pass);
  const auto off = withoutHeads(*document, {{1, 0}});
  expectSame(measured(off, &pass), measured(off));
  // measurements of layers that are no longer held are reused as well
  const Index states = (2 * 2 + 1) * 5 * 32 * 4 + 2 * 5 * 128 * 4;
  const Index budget = states + 2 * ledger(pass.trace->layer(0)->config()).residentBytes - 1;
  const MeasuredPass little = measured(document, nullptr, budget);
  EXPECT_FALSE(little.trace->held(1));
  expectSame(little, pass);
  expectSame(measured(document, &little, budget), pass);
}

TEST(ModelHeads, AreMeasuredUnitByUnit) {
  const auto document = makeModelDocument(modelOf("tiny-gpt2"), {{283, 271, 84, 271, 84}, {}, {}});
  ModelMeasure measure(document, {}, kBudget);
  int units = 1;
  for (; !measure.runUnit(); ++units) EXPECT_FALSE(measure.measured());
  EXPECT_EQ(units, 2 * 2) << "two layers are run, then measured";
  expectSame(measure.measured().value(), measureModel(document, {}, kBudget).value());
  EXPECT_TRUE(measure.runUnit());
  expectSame(measure.measured().value(), measureModel(document, {}, kBudget).value());
}

TEST(RepeatedRandomTokens, AreDifferentOnesTwice) {
  const ModelPtr model = modelOf("tiny-llama");
  const ModelInput input = repeatedRandomTokens(model->config(), nullptr);
  const Index count = std::min(kProbeTokens, model->config().positions / 2);
  ASSERT_EQ(std::ssize(input.ids), 2 * count);
  const std::span<const Index> ids = input.ids;
  const auto half = static_cast<std::size_t>(count);
  EXPECT_TRUE(std::ranges::equal(ids.first(half), ids.last(half)));
  EXPECT_EQ(std::set<Index>(ids.begin(), ids.end()).size(), half);
  EXPECT_EQ(repeatedRandomTokens(model->config(), nullptr).ids, input.ids);
  EXPECT_FALSE(std::ranges::is_sorted(ids.first(half)));

  ModelConfig small = model->config();
  small.positions = 9;
  EXPECT_EQ(repeatedRandomTokens(small, nullptr).ids.size(), 8U);
  small.positions = 3;
  expectUserError([&] { repeatedRandomTokens(small, nullptr); }, "two tokens twice", "3 positions");
}

TEST(RepeatedRandomTokens, StandBetweenWhatATextStandsBetween) {
  const auto tokenizer = formats::openTokenizer(directoryOf("tiny-bert"));
  const auto model = modelOf("tiny-bert");
  const ModelInput input = repeatedRandomTokens(model->config(), tokenizer.get());
  EXPECT_EQ(input.ids.front(), tokenizer->id("[CLS]").value());
  EXPECT_EQ(input.ids.back(), tokenizer->id("[SEP]").value());
  EXPECT_EQ(input.ids.size() % 2, 0U);
  for (std::size_t i = 1; i + 1 < input.ids.size(); ++i) {
    EXPECT_FALSE(tokenizer->isSpecial(static_cast<tokenizer::TokenId>(input.ids[i])));
  }
}

/// A head whose scores are pinned so that every token looks where `key` says.
HeadMetrics ofPattern(const ModelDocumentPtr& document, Index (*key)(Index row, Index half)) {
  const ModelTracePtr trace = runModel(document, nullptr, {}, kBudget);
  const Index tokens = trace->tokens();
  DocumentPtr layer = trace->layer(0)->documentPtr();
  for (Index row = 0; row < tokens; ++row) {
    const CellRef score{TensorId::rawScores, 0, 0, row, key(row, tokens / 2)};
    layer = apply(*layer, SetPin{{score, 1e4F}}, kBudget).document;
  }
  return measured(withLayer(*document, 0, *layer)).metrics.front();
}

/// Hand-made heads have the scores 1 and 0 on the probe.
TEST(RepeatedRandomTokens, TellHandMadeHeadsApart) {
  ModelConfig config = modelOf("tiny-gpt2")->config();
  config.positions = 24;
  const auto document =
      makeModelDocument(modelOf("tiny-gpt2"), repeatedRandomTokens(config, nullptr));
  const auto induction = ofPattern(
      document, [](Index row, Index half) { return row >= half ? row - half + 1 : Index{0}; });
  EXPECT_NEAR(*induction[Metric::induction], 1.0, 1e-5);
  EXPECT_NEAR(*induction[Metric::duplicateToken], 0.0, 1e-5);
  EXPECT_NEAR(*induction[Metric::previousToken], 1.0 / 23.0, 1e-5) << "row 1 looks at row 0";
  const auto duplicate =
      ofPattern(document, [](Index row, Index half) { return row >= half ? row - half : row; });
  EXPECT_NEAR(*duplicate[Metric::duplicateToken], 1.0, 1e-5);
  EXPECT_NEAR(*duplicate[Metric::induction], 0.0, 1e-5);
  const auto previous = ofPattern(document, [](Index row, Index) { return row > 0 ? row - 1 : 0; });
  EXPECT_NEAR(*previous[Metric::previousToken], 1.0, 1e-5);
  EXPECT_NEAR(*previous[Metric::induction], 0.0, 1e-5);
  const auto first = ofPattern(document, [](Index, Index) { return Index{0}; });
  EXPECT_NEAR(*first[Metric::firstToken], 1.0, 1e-5);
}

TEST(RepeatedRandomTokens, MeasureEveryModel) {
  for (const char* name : {"tiny-gpt2", "tiny-bert", "tiny-llama"}) {
    const ModelPtr model = modelOf(name);
    const auto pass =
        measured(makeModelDocument(model, repeatedRandomTokens(model->config(), nullptr)));
    for (const HeadMetrics& metrics : pass.metrics) {
      for (const Metric m :
           {Metric::previousToken, Metric::induction, Metric::duplicateToken, Metric::firstToken}) {
        ASSERT_TRUE(metrics[m]) << name << " " << info(m).key << ": " << metrics[m].why;
        EXPECT_TRUE(*metrics[m] >= 0.0 && *metrics[m] <= 1.0) << *metrics[m];
      }
    }
  }
}

/// Rows [begin, end) of a matrix in double, columns times the gain.
using Matrix = std::vector<std::vector<double>>;
Matrix partOf(const Tensor& w, Index begin, Index end, const Tensor& gain) {
  Matrix part;
  for (Index i = begin; i < end; ++i) {
    part.emplace_back();
    for (Index j = 0; j < w.dim(1); ++j) {
      const float factor = gain.empty() ? 1.0F : gain.at({j});
      part.back().push_back(static_cast<double>(w.at({i, j})) * static_cast<double>(factor));
    }
  }
  return part;
}
Matrix turned(const Matrix& a) {
  Matrix t(a.front().size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) t[j][i] = a[i][j];
  }
  return t;
}
Matrix times(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b.front().size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < c[i].size(); ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}
double norm(const Matrix& a) {
  double sum = 0.0;
  for (const auto& row : a) {
    for (const double v : row) sum += v * v;
  }
  return std::sqrt(sum);
}

/// A head's W_QK and W_OV in full, (D, D).
struct Circuits {
  Matrix queryKey, outputValue;
};
Circuits circuitsOf(const Model& model, const HeadOfLayer& head) {
  const ModelConfig& c = model.config();
  const LayerWeightsPtr layer = model.layer(head.layer);
  const Weights& w = layer->attention;
  const Tensor gain = c.preNorm ? layer->attentionNorm.gain : Tensor();
  const Tensor ofKeys = c.readsMemory(head.layer) ? model.encoder()->readout()->norm.gain : gain;
  const Index d = c.headDim, q = head.head * d, kv = head.head / (c.heads / c.kvHeads) * d;
  const Matrix wO = turned(partOf(w.wO.transposed(0, 1).clone(), q, q + d, {}));
  return {times(turned(partOf(w.wQ, q, q + d, gain)), partOf(w.wK, kv, kv + d, ofKeys)),
          times(wO, partOf(w.wV, kv, kv + d, ofKeys))};
}

/// ‖reads · W_OV‖ as a part of the product of both norms.
double shareOf(const Matrix& reads, const Matrix& writes) {
  return norm(times(reads, writes)) / (norm(reads) * norm(writes));
}

TEST(Compositions, AreThoseOfTheFullMatrices) {
  for (const char* name : {"tiny-gpt2", "tiny-bert", "tiny-llama"}) {
    const ModelPtr model = modelOf(name);
    const Compositions found = composeHeads(*model, {}).value();
    EXPECT_EQ(found.valuesAlone(), std::string(name) == "tiny-llama");
    for (Index a = 0; a < 4; ++a) {
      for (Index b = 0; b < 4; ++b) {
        const HeadOfLayer from{0, a}, into{1, b};
        const Circuits one = circuitsOf(*model, from), two = circuitsOf(*model, into);
        const auto share = [&](const Matrix& reads) { return shareOf(reads, one.outputValue); };
        EXPECT_NEAR(found.score(Composition::value, from, into), share(two.outputValue), 1e-5);
        if (found.valuesAlone()) continue;
        EXPECT_NEAR(found.score(Composition::query, from, into), share(turned(two.queryKey)), 1e-5);
        EXPECT_NEAR(found.score(Composition::key, from, into), share(two.queryKey), 1e-5);
      }
    }
  }
}

TEST(Compositions, OfTwoStacksJoinTheEncoderWithKeysAndValues) {
  for (const char* name : {"families/t5", "families/marian", "families/bart"}) {
    SCOPED_TRACE(name);
    const ModelPtr model = modelOf(name);
    const Compositions across = composeWithEncoder(*model, {}).value();
    const Compositions within = composeHeads(*model, {}).value();
    EXPECT_FALSE(across.has(Composition::query));
    EXPECT_FALSE(across.has(Composition::key, 2));
    for (const HeadOfLayer& into : {HeadOfLayer{1, 0}, HeadOfLayer{3, 2}}) {
      const Circuits reads = circuitsOf(*model, into);
      for (const HeadOfLayer& from : {HeadOfLayer{0, 1}, HeadOfLayer{1, 3}}) {
        const Matrix writes = circuitsOf(*model->encoder(), from).outputValue;
        EXPECT_NEAR(across.score(Composition::key, from, into), shareOf(reads.queryKey, writes),
                    1e-5);
        EXPECT_NEAR(across.score(Composition::value, from, into),
                    shareOf(reads.outputValue, writes), 1e-5);
      }
      const HeadOfLayer earlier{0, 3};
      EXPECT_NEAR(within.score(Composition::query, earlier, into),
                  shareOf(turned(reads.queryKey), circuitsOf(*model, earlier).outputValue), 1e-5);
    }
    EXPECT_EQ(across.strongest(Composition::key, 1000).size(), 2U * 2U * 4U * 4U);
    for (const ComposedHeads& pair : across.strongestFrom({1, 2}, 100)) {
      EXPECT_EQ(pair.from, (HeadOfLayer{1, 2}));
    }
    const auto into = across.strongestInto({3, 1}, 100);
    EXPECT_EQ(into.size(), 2U * 2U * 4U);
    for (const ComposedHeads& pair : into) EXPECT_EQ(pair.into, (HeadOfLayer{3, 1}));
  }
}

TEST(Compositions, AreListedByTheirStrength) {
  const ModelPtr model = modelOf("tiny-gpt2");
  const Compositions found = composeHeads(*model, {}).value();
  const auto best = found.strongest(Composition::key, 100);
  ASSERT_EQ(best.size(), 16U);
  double sum = 0.0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    sum += best[i].score;
    EXPECT_EQ(best[i].score, double{found.score(Composition::key, best[i].from, best[i].into)});
    EXPECT_LE(best[i].score, best[i > 0 ? i - 1 : 0].score);
  }
  EXPECT_NEAR(found.mean(Composition::key), sum / 16.0, 1e-9);
  const auto of = found.strongestOf({1, 2}, 5);
  ASSERT_EQ(of.size(), 5U);
  for (const ComposedHeads& pair : of) EXPECT_EQ(pair.into, (HeadOfLayer{1, 2}));
  EXPECT_EQ(found.strongestOf({0, 0}, 1).front().from, (HeadOfLayer{0, 0}));
}

}  // namespace
}  // namespace headscope::test::model_heads
