// Whole models: the goldens, edits that run from their layer on, what is computed again.
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/error.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/formats/model_directory.h"
#include "core/model/edited_layer.h"
#include "core/model/model_trace.h"
#include "core/tensor/safetensors.h"
#include "core/training/task_pass.h"
#include "tests/core/test_files.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using nlohmann::json;

constexpr Index kBudget = Index{1} << 30;

std::filesystem::path directoryOf(const std::string& name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / name;
}

ModelPtr modelOf(const std::string& name) { return formats::openModel(directoryOf(name), kBudget); }

ModelTracePtr run(const ModelDocumentPtr& document, const ModelTracePtr& previous = nullptr,
                  Index budget = kBudget, int threads = 1) {
  ExecutionContext execution;
  execution.threads = threads;
  execution.flopsPerThread = 1;
  return runModel(document, previous, execution, budget);
}

ModelDocumentPtr documentOn(const std::string& name, std::vector<Index> ids) {
  return makeModelDocument(modelOf(name), {std::move(ids), {}, {}});
}

/// |found − expected| over the largest |expected|.
double relativeError(std::span<const float> found, std::span<const float> expected) {
  EXPECT_EQ(found.size(), expected.size());
  double largest = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
  }
  return worst / largest;
}

std::vector<float> attentionsOf(const ModelTrace& trace) {
  std::vector<float> all;
  for (Index layer = 0; layer < trace.layers(); ++layer) {
    const auto weights = trace.layer(layer)->tensor(TensorId::weights).values();
    all.insert(all.end(), weights.begin(), weights.end());
  }
  return all;
}

std::vector<float> hiddenOf(const ModelTrace& trace) {
  std::vector<float> all;
  for (Index layer = 0; layer <= trace.layers(); ++layer) {
    const auto values = trace.hiddenState(layer).values();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

struct GoldenText {
  std::string number;
  ModelInput input;
};

std::vector<GoldenText> textsOf(const std::string& name) {
  const auto directory = directoryOf(name);
  const bool tokens = std::filesystem::exists(directory / "expected_tokens.json");
  const json all =
      json::parse(readAll(directory / (tokens ? "expected_tokens.json" : "expected_ids.json")));
  std::vector<GoldenText> texts;
  for (const auto& [number, text] : all.items()) {
    GoldenText golden{number, {}};
    golden.input.ids = text.at("ids").get<std::vector<Index>>();
    if (text.contains("token_type_ids")) {
      golden.input.types = text.at("token_type_ids").get<std::vector<Index>>();
    }
    texts.push_back(std::move(golden));
  }
  return texts;
}

class ModelGolden : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, ModelGolden, testing::Values("tiny-gpt2", "tiny-bert", "tiny-llama"));

TEST_P(ModelGolden, AgreesWithPyTorch) {
  const SafetensorsFile expected(directoryOf(GetParam()) / "expected.safetensors");
  const ModelPtr model = modelOf(GetParam());
  const auto texts = textsOf(GetParam());
  ASSERT_EQ(texts.size(), 3U);
  for (const GoldenText& text : texts) {
    const ModelTracePtr trace = run(makeModelDocument(model, text.input));
    const auto wanted = [&](const char* what) {
      return expected.read(text.number + "." + what).values();
    };
    const double attentions = relativeError(attentionsOf(*trace), wanted("attentions"));
    const double hidden = relativeError(hiddenOf(*trace), wanted("hidden_states"));
    const double logits =
        relativeError(trace->logits(0, trace->tokens()).values(), wanted("logits"));
    EXPECT_LE(attentions, 1e-5) << text.number;
    EXPECT_LE(hidden, 1e-5) << text.number;
    EXPECT_LE(logits, 1e-5) << text.number;
    RecordProperty("error_" + text.number,
                   std::to_string(std::max({attentions, hidden, logits}) * 1e6) + "e-6");
  }
}

TEST_P(ModelGolden, TheSameBitsOnEveryThreadCountAndFromAnyBudget) {
  const auto text = textsOf(GetParam())[1];
  const auto document = makeModelDocument(modelOf(GetParam()), text.input);
  const ModelTracePtr one = run(document);
  const ModelTracePtr three = run(document, nullptr, kBudget, 3);
  EXPECT_EQ(hiddenOf(*one), hiddenOf(*three));
  EXPECT_EQ(attentionsOf(*one), attentionsOf(*three));
  EXPECT_EQ(one->logits(0, one->tokens()).values(), three->logits(0, one->tokens()).values());

  // a budget for the hidden states and one layer's pass
  const Index layer = ledger(one->layer(0)->config()).residentBytes;
  const Index resting = (2 * one->layers() + 1) * one->hidden(0).size() * 4 +
                        2 * one->tokens() * one->config().ffWidth * 4;
  const ModelTracePtr little = run(document, nullptr, resting + 2 * layer - 1);
  EXPECT_TRUE(little->held(0));
  EXPECT_FALSE(little->held(1));
  EXPECT_EQ(attentionsOf(*little), attentionsOf(*one));
  EXPECT_EQ(little->layer(1), little->layer(1)) << "the one that is looked at stays";
}

TEST_P(ModelGolden, LayerByLayerGivesTheSameBits) {
  const auto document = makeModelDocument(modelOf(GetParam()), textsOf(GetParam())[1].input);
  const ModelTracePtr whole = run(document);
  ModelPass pass(document, nullptr, {}, kBudget);
  Index units = 1;
  for (; !pass.runUnit(); ++units) EXPECT_EQ(pass.trace(), nullptr);
  EXPECT_EQ(units, whole->layers());
  const ModelTracePtr byLayers = pass.trace();
  ASSERT_NE(byLayers, nullptr);
  EXPECT_EQ(hiddenOf(*byLayers), hiddenOf(*whole));
  EXPECT_EQ(attentionsOf(*byLayers), attentionsOf(*whole));
  EXPECT_TRUE(pass.runUnit());
  EXPECT_EQ(pass.trace(), byLayers) << "nothing is done again";
}

TEST(Model, ACancelledPassIsNeverDone) {
  std::atomic<bool> cancelled{true};
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  ModelPass pass(documentOn("tiny-gpt2", {283, 271, 84, 396}), nullptr, execution, kBudget);
  EXPECT_TRUE(pass.runUnit());
  cancelled = false;
  EXPECT_TRUE(pass.runUnit());
  EXPECT_EQ(pass.trace(), nullptr);
}

TEST(Model, LogitsOfSomeRowsAreThoseOfAll) {
  const ModelTracePtr trace = run(documentOn("tiny-gpt2", {283, 271, 84, 396}));
  const auto all = trace->logits(0, 4).values();
  const auto third = trace->logits(2, 1).values();
  EXPECT_LE(relativeError(third, std::span(all).subspan(2 * 400, 400)), 1e-6);

  const auto best = trace->predictions(2, 10);
  ASSERT_EQ(best.size(), 10U);
  double largest = -1e30, total = 0.0;
  for (const float v : third) largest = std::max(largest, static_cast<double>(v));
  for (const float v : third) total += std::exp(static_cast<double>(v) - largest);
  EXPECT_EQ(best[0].logit, largest);
  EXPECT_NEAR(best[0].probability, 1.0 / total, 1e-9);
  for (std::size_t i = 1; i < best.size(); ++i) {
    EXPECT_GE(best[i - 1].probability, best[i].probability);
  }
}

TEST(Model, AnEditRunsFromItsLayerOn) {
  const auto document = documentOn("tiny-llama", {1, 65, 77, 5, 78, 46, 50});
  const ModelTracePtr before = run(document);
  EXPECT_EQ(before->layersRun(), 2);
  EXPECT_EQ(run(document, before)->layersRun(), 0);

  const auto off = withoutHeads(*document, {{1, 2}});
  const ModelTracePtr after = run(off, before);
  EXPECT_EQ(after->layersRun(), 1);
  EXPECT_EQ(after->layer(0), before->layer(0));
  EXPECT_EQ(after->layer(1)->stepsRun(), 3) << "weigh, concat, output";
  EXPECT_TRUE(after->layer(1)
                  ->tensor(TensorId::weights)
                  .sameAs(before->layer(1)->tensor(TensorId::weights)));
  EXPECT_NE(after->hiddenState(2).values(), before->hiddenState(2).values());
  // bit for bit what a whole pass gives
  EXPECT_EQ(hiddenOf(*run(off)), hiddenOf(*after));
  // undoing the edit gives the first pass
  const ModelTracePtr back = run(withoutEdits(*off, 1), after);
  EXPECT_EQ(hiddenOf(*back), hiddenOf(*before));

  const ModelTracePtr first = run(withoutHeads(*document, {{0, 0}}), before);
  EXPECT_EQ(first->layersRun(), 2);
  EXPECT_NE(first->layer(1)->tensor(TensorId::weights).values(),
            before->layer(1)->tensor(TensorId::weights).values());
}

/// Every edit of a single layer also works on a layer of a model.
TEST(Model, ALayerIsADocumentThatIsEditedAsAny) {
  const auto document = documentOn("tiny-gpt2", {283, 271, 84, 396});
  const ModelTracePtr before = run(document);
  const DocumentPtr layer = before->documentOfLayer(0, kBudget);
  // the model's pass holds no raw scores, its layers' documents do, and both have the same
  const TracePtr own = runAttention(layer);
  EXPECT_TRUE(before->layer(0)->tensor(TensorId::rawScores).empty());
  EXPECT_FALSE(own->tensor(TensorId::rawScores).empty());
  for (const TensorId id : {TensorId::rawScores, TensorId::maskedScores, TensorId::weights}) {
    EXPECT_EQ(before->layer(0)->materialise(id).values(), own->materialise(id).values());
  }
  EXPECT_EQ(layer->input->tokens.front(), (std::vector<std::string>{"283", "271", "84", "396"}));

  const CellRef weight{TensorId::wV, -1, -1, 3, 7};
  const CellRef score{TensorId::rawScores, 0, 1, 3, 2};
  DocumentPtr edited = apply(*layer, SetCell{weight, 2.0F}, kBudget).document;
  edited = apply(*edited, SetPin{{score, 30.0F}}, kBudget).document;
  const ModelTracePtr after = run(withLayer(*document, 0, *edited), before);
  EXPECT_EQ(after->layer(0)->value(weight), 2.0F);
  EXPECT_EQ(after->layer(0)->value(score), 30.0F);
  EXPECT_NEAR(after->layer(0)->value({TensorId::weights, 0, 1, 3, 2}), 1.0F, 1e-3F);
  EXPECT_NE(after->logits(3, 1).values(), before->logits(3, 1).values());
  // earlier values stay: the earlier tokens of a causal model do not see the pin
  EXPECT_EQ(before->layer(0)->value(weight), layer->weights.wV.at({3, 7}));

  // another text keeps the weight and drops the pin that it has no place for
  const auto shorter = withInput(*after->documentPtr(), {{283, 271}, {}, {}});
  EXPECT_EQ(shorter->edited.at(0)->config.seqLen, 2);
  EXPECT_TRUE(shorter->edited.at(0)->pins.empty());
  EXPECT_EQ(run(shorter)->layer(0)->value(weight), 2.0F);

  AttentionConfig other = layer->config;
  other.numHeads = 2;
  Document wrong = *layer;
  wrong.config = other;
  expectUserError([&] { withLayer(*document, 0, wrong); }, "layer 1", "keeps its size");
}

TEST(Model, RefusesTokensThatItCannotTake) {
  const ModelPtr model = modelOf("tiny-bert");
  const auto with = [&](std::vector<Index> ids, std::vector<Index> types = {}) {
    makeModelDocument(model, {std::move(ids), std::move(types), {}});
  };
  EXPECT_NO_THROW(with({2, 3}, {0, 1}));
  expectUserError([&] { with({}); }, "no tokens");
  expectUserError(
      [&] {
        with({2, 232});
      },
      "the token at position 2 has the id 232", "tiny-bert", "0 to 231");
  expectUserError([&] { with({-1}); }, "id -1");
  expectUserError([&] { with({2, 3}, {0, 2}); }, "type 2", "0 to 1");
  expectUserError([&] { with({2, 3}, {0}); }, "1 token types", "2 tokens");
  expectUserError([&] { with(std::vector<Index>(65, 2)); }, "65 tokens", "at most 64", "cut it");
  const auto document = makeModelDocument(model, {{2, 3}, {}, {}});
  expectUserError([&] { withoutHeads(*document, {{2, 0}}); }, "layer 2", "0 to 1");
  expectUserError([&] { withoutHeads(*document, {{0, 4}}); }, "head 4", "0 to 3");
  expectUserError([&] { run(document, nullptr, 1000); }, "memory budget");
}

TEST(Model, LayersAreConvertedWhenNeededAndKeptWithinTheirBudget) {
  const ModelPtr roomy = modelOf("tiny-gpt2");
  EXPECT_EQ(roomy->layersKept(), 0);
  const LayerWeightsPtr first = roomy->layer(0);
  EXPECT_EQ(roomy->layersKept(), 1);
  roomy->layer(1);
  EXPECT_EQ(roomy->layersKept(), 2);
  EXPECT_EQ(roomy->layer(0), first);

  const ModelPtr narrow = formats::openModel(directoryOf("tiny-gpt2"), first->bytes());
  narrow->layer(0);
  narrow->layer(1);
  EXPECT_EQ(narrow->layersKept(), 1);
  EXPECT_EQ(narrow->layer(0)->attention.wQ.values(), first->attention.wQ.values());
}

/// The number of parameters equals that in the model's files: 28,416 for tiny-gpt2 without its
/// embeddings, counted by hand.
TEST(Model, CountsItsParameters) {
  for (const char* name : {"tiny-gpt2", "tiny-bert", "tiny-llama"}) {
    const SafetensorsFile file(directoryOf(name) / "model.safetensors");
    Index all = 0;
    for (const std::string& tensor : file.names()) {
      if (tensor.starts_with("cls.")) continue;  // the masked-word head
      all += elementCount(file.shape(tensor));
    }
    EXPECT_EQ(modelOf(name)->parameters(), all) << name;
  }
}

}  // namespace
}  // namespace headscope::test::models
