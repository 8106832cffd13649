// The families of models that read images: a small model of each against what transformers computes
// in float64, and what their switches do.
#include <gtest/gtest.h>

#include <cmath>

#include "core/analysis/head_metrics.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/clip_folder.h"
#include "core/formats/model_directory.h"
#include "core/formats/session.h"
#include "core/model/circuits.h"
#include "core/model/head_output.h"
#include "core/model/image_embedding.h"
#include "core/model/logit_lens.h"
#include "core/model/logit_parts.h"
#include "core/model/match_parts.h"
#include "core/model/model_gradients.h"
#include "core/model/model_heads.h"
#include "core/model/rollout.h"
#include "core/model/stream_parts.h"
#include "core/model/two_encoders.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using nlohmann::json;

ModelTracePtr passOf(const ModelPtr& model, Tensor pixels) {
  return runModel(makeModelDocument(model, imageInput(*model, std::move(pixels))), nullptr, {},
                  kBudgetBytes);
}

class OfImages : public testing::TestWithParam<std::string> {
 protected:
  std::filesystem::path folder() const { return modelData("image_models") / GetParam(); }
  ModelPtr model() const { return formats::openModel(folder(), kBudgetBytes); }
  SafetensorsFile expected() const { return SafetensorsFile(folder() / "expected.safetensors"); }
  ModelTracePtr pass(const std::string& which) const {
    return passOf(model(), expected().read(which + ".pixel_values"));
  }
};
INSTANTIATE_TEST_SUITE_P(Models, OfImages,
                         testing::Values("clip", "clip_vision_model", "deit", "deit_teacher",
                                         "dinov2", "dinov2_labels", "dinov2_registers", "vit",
                                         "vit_plain"),
                         modelTestName);

TEST_P(OfImages, AgreesWithTransformers) {
  for (const std::string which : {"0", "1"}) {
    const ModelTracePtr trace = pass(which);
    const auto expect = [&](const char* name, const std::vector<float>& values) {
      const std::string tensor = which + "." + name;
      EXPECT_LE(differenceFromGolden(values, expected().read(tensor).values()), kGoldenRounding)
          << tensor;
    };
    std::vector<float> attentions, states;
    const auto append = [](std::vector<float>& to, const Tensor& part) {
      const std::vector<float> values = part.values();
      to.insert(to.end(), values.begin(), values.end());
    };
    for (Index layer = 0; layer < trace->layers(); ++layer) {
      append(attentions, trace->layer(layer)->materialise(TensorId::weights));
    }
    for (Index layer = 0; layer <= trace->layers(); ++layer) {
      append(states, trace->hiddenState(layer));
    }
    expect("attentions", attentions);
    expect("hidden_states", states);
    if (trace->document().model->hasReadout()) {
      expect("logits", trace->logits(0, 1).values());
    } else {
      expect("last_hidden_state", trace->lastHiddenState().values());
    }
  }
}

/// transformers wrote these files: every field and tensor has a place here.
TEST_P(OfImages, LeavesNothingOfTheFilesOut) {
  const ModelPtr own = model();
  EXPECT_TRUE(own->notes().empty()) << own->notes().sentences().front();
}

TEST_P(OfImages, AHeadThatIsOffGivesWhatOneWithoutOutputGives) {
  const ModelTracePtr trace = pass("0");
  const HeadOfLayer head{1, 2};
  const Tensor zeros = Tensor::zeros({trace->tokens(), trace->config().headDim});
  const auto again = [&](const ModelDocumentPtr& document) {
    return runModel(document, trace, {}, kBudgetBytes);
  };
  const ModelTracePtr off = again(withoutHeads(trace->document(), {head}));
  const ModelTracePtr silent = again(withHeadOutput(*trace, head, zeros));
  EXPECT_EQ(off->last().values(), silent->last().values());
  EXPECT_NE(off->last().values(), trace->last().values());
  EXPECT_EQ(off->hidden(2).values(), trace->hidden(2).values());
}

/// The parts of the stream at any token, its patch and position among them, add up to it.
TEST_P(OfImages, TheStreamIsTheSumOfItsWriters) {
  const ModelTracePtr trace = pass("1");
  const Index d = trace->config().dModel;
  for (const Index place : {Index{0}, trace->config().image.firstPatch(), trace->tokens() - 1}) {
    const StreamParts parts = streamParts(*trace, trace->layers(), place);
    const float* stream = trace->hidden(2 * trace->layers()).data() + place * d;
    for (Index j = 0; j < d; ++j) {
      double sum = 0.0;
      for (Index i = 0; i < std::ssize(parts.writers); ++i) {
        sum += parts.rows.row(i)[static_cast<std::size_t>(j)];
      }
      EXPECT_NEAR(sum, double{stream[j]}, 1e-4) << place;
    }
  }
}

TEST_P(OfImages, ReadingsAgreeWithThePrediction) {
  const ModelTracePtr trace = pass("0");
  if (!trace->document().model->hasReadout()) {
    expectUserError([&] { logitLens(*trace, 0, 1, {}); }, "no classifier");
    return;
  }
  EXPECT_EQ(std::ssize(trace->config().labels), trace->config().vocabulary);
  const TokenProbability says = trace->predictions(0, 1).front();
  const auto lens = logitLens(*trace, 0, says.id, {}).value();
  EXPECT_EQ(lens.back().best.id, says.id);
  EXPECT_NEAR(lens.back().best.probability, says.probability, 1e-6);
  expectUserError([&] { logitLens(*trace, 3, says.id, {}); }, "at the class token");
  const LogitParts parts = logitParts(*trace, 0, says.id, Index{2}, {}).value();
  double largest = 0.0;
  for (const WrittenPart& part : parts.parts) largest = std::max(largest, std::abs(part.value));
  EXPECT_NEAR(parts.sum, parts.logit, kGoldenRounding * largest);
  const bool onePlace = trace->config().reads == Reads::classToken;
  EXPECT_EQ(DirectPath::exists(*trace->document().model), onePlace);
  if (onePlace) return;
  expectUserError([&] { logitReading(*trace, 0, says.id, std::nullopt); },
                  "the class token and others");
  EXPECT_EQ(DirectPath::whyNone(), "this model reads its labels from several tokens");
}

/// Each writer has one part, whichever places of the image the readout takes.
TEST_P(OfImages, EachHeadHasOnePartInALabel) {
  const ModelTracePtr trace = pass("1");
  if (!trace->document().model->hasReadout()) return;
  Index heads = 0;
  const LogitParts found = logitParts(*trace, 0, 1, std::nullopt, {}).value();
  for (const WrittenPart& part : found.parts) {
    heads += part.kind == WriterKind::head ? 1 : 0;
  }
  EXPECT_EQ(heads, trace->layers() * trace->config().heads);
}

/// The gradient of a label's logit, against the logits of passes that are steered a little.
TEST_P(OfImages, GradientsAreTheSlopesOfTheLogit) {
  const ModelTracePtr trace = pass("0");
  if (!trace->document().model->hasReadout()) return;
  constexpr Index kLabel = 1;
  const ModelGradients gradients = gradientsOfLogit(trace, 0, kLabel, std::nullopt, {}).value();
  const Index d = trace->config().dModel;
  for (const Index layer : {Index{0}, Index{1}}) {
    for (const Index place : {Index{0}, Index{1}, trace->tokens() - 1}) {
      const Tensor along = randomTensor({d}, 3, "direction", 1.0F);
      const auto logitAt = [&](float step) {
        ModelDocument steered = trace->document();
        Steering steering{layer, place, along.values()};
        for (float& x : steering.addition) x *= step;
        steered.steering.push_back(std::move(steering));
        const auto pass =
            runModel(std::make_shared<const ModelDocument>(steered), nullptr, {}, kBudgetBytes);
        return double{pass->logits(0, 1).data()[kLabel]};
      };
      constexpr double kStep = 1e-2;
      const double slope =
          (logitAt(float{kStep}) - logitAt(-float{kStep})) / (2.0 * double{float{kStep}});
      double expected = 0.0;
      for (Index j = 0; j < d; ++j) {
        expected += double{gradients.residual.at({layer, place, j})} * double{along.at({j})};
      }
      EXPECT_NEAR(slope, expected, 2e-3 * (1.0 + std::abs(expected))) << layer << ", " << place;
    }
  }
}

/// The rollout, against its definition written out token by token.
TEST_P(OfImages, TheRolloutIsTheProductOfItsLayers) {
  const ModelTracePtr trace = pass("0");
  const Index tokens = trace->tokens(), heads = trace->config().heads;
  const auto at = [tokens](const std::vector<double>& matrix, Index row, Index column) {
    return matrix[static_cast<std::size_t>(row * tokens + column)];
  };
  std::vector<double> reached;
  for (Index layer = 0; layer < trace->layers(); ++layer) {
    const Tensor weights = trace->layer(layer)->materialise(TensorId::weights);
    std::vector<double> mixed(static_cast<std::size_t>(tokens * tokens)), next = mixed;
    for (Index i = 0; i < tokens; ++i) {
      for (Index j = 0; j < tokens; ++j) {
        double mean = 0.0;
        for (Index head = 0; head < heads; ++head) {
          mean += double{weights.at({0, head, i, j})} / static_cast<double>(heads);
        }
        mixed[static_cast<std::size_t>(i * tokens + j)] = 0.5 * mean + (i == j ? 0.5 : 0.0);
      }
    }
    for (Index i = 0; i < tokens; ++i) {
      for (Index j = 0; j < tokens; ++j) {
        double sum = layer == 0 ? at(mixed, i, j) : 0.0;
        for (Index k = 0; layer > 0 && k < tokens; ++k) sum += at(mixed, i, k) * at(reached, k, j);
        next[static_cast<std::size_t>(i * tokens + j)] = sum;
      }
    }
    reached = next;
    const Tensor found = attentionRollout(*trace, layer, {}).value();
    for (Index i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found.data()[i], reached[static_cast<std::size_t>(i)], 1e-6) << layer;
    }
  }
}

TEST(ImageModels, NameTheirTokens) {
  const ModelPtr model =
      formats::openModel(modelData("image_models/dinov2_registers"), kBudgetBytes);
  const ModelInput input = imageInput(*model, Tensor::zeros({3, 8, 13}));
  const std::vector<std::string> names{"class",     "register 1", "register 2", "register 3",
                                       "patch 1,1", "patch 1,2",  "patch 1,3",  "patch 2,1",
                                       "patch 2,2", "patch 2,3"};
  EXPECT_EQ(input.tokens, names);
  EXPECT_EQ(std::ssize(input.ids), 10);
}

TEST(ImageModels, RefuseWhatIsNoImageOfTheirs) {
  const ModelPtr images = formats::openModel(modelData("image_models/vit"), kBudgetBytes);
  const ModelPtr texts = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  expectUserError([&] { makeModelDocument(images, {{1, 2}, {}, {}}); }, "reads images");
  expectUserError(
      [&] {
        makeModelDocument(texts, imageInput(*images, Tensor::zeros({3, 8, 8})));
      },
      "reads texts");
  expectUserError(
      [&] {
        imageInput(*images, Tensor::zeros({1, 8, 8}));
      },
      "(1, 8, 8)", "(3, height, width)");
  expectUserError([&] { imageInput(*images, Tensor::zeros({3, 8, 3})); }, "smaller than one patch");
  expectUserError(
      [&] {
        imageInput(*images, Tensor::zeros({3, 4000, 4000}));
      },
      "1,000,000 patches");
}

TEST(ImageModels, FieldsThatCannotBeUsedAreNamed) {
  const auto refused = [](const char* name, const char* field, const json& value,
                          const char* says) {
    ModelFolder m("image_models/" + std::string(name));
    m.config[field] = value;
    expectUserError([&] { opened(m); }, "config.json", field, says);
  };
  refused("vit", "patch_size", 17, "larger than image_size");
  refused("vit", "patch_size", json::array({4, 4, 4}), "height and width");
  refused("vit", "image_size", 0, "must be 1 to");
  refused("vit", "num_channels", 0, "must be 1 to");
  refused("dinov2", "mlp_ratio", 0, "must be 1 to");
  refused("vit", "hidden_act", "mish", "activation");
  ModelFolder m("image_models/vit");
  m.config["num_channels"] = 1;
  expectUserError([&] { opened(m); }, "patch_embeddings.projection.weight", "(32, 1, 4, 4)");
}

/// Fields and tensors as published files have them, without effect on a pass.
TEST(ImageModels, PublishedFilesOpenWithoutNotes) {
  ModelFolder vit("image_models/vit");
  vit.config.update({{"_name_or_path", "google/vit-base-patch16-224-in21k"},
                     {"label2id", {{"LABEL_0", 0}}},
                     {"problem_type", "single_label_classification"},
                     {"torch_dtype", "float32"}});
  EXPECT_TRUE(opened(vit)->notes().empty());
  ModelFolder dino("image_models/dinov2_registers");
  dino.config.update({{"apply_layernorm", true},
                      {"attention_probs_dropout_prob", 0.0},
                      {"drop_path_rate", 0.0},
                      {"interpolate_antialias", true},
                      {"out_features", {"stage2"}},
                      {"out_indices", {2}},
                      {"reshape_hidden_states", true}});
  EXPECT_TRUE(opened(dino)->notes().empty()) << opened(dino)->notes().sentences().front();
  // CLIP's older folders repeat every field of a text's configuration, and have buffers
  ModelFolder clip("image_models/clip");
  for (const char* half : {"text_config", "vision_config"}) {
    clip.config[half].update({{"id2label", {{"0", "LABEL_0"}, {"1", "LABEL_1"}}},
                              {"is_encoder_decoder", false},
                              {"num_beams", 1},
                              {"pruned_heads", json::object()},
                              {"tie_word_embeddings", true},
                              {"top_k", 50},
                              {"torch_dtype", nullptr}});
  }
  clip.config.update({{"text_config_dict", nullptr}, {"initializer_factor", 1.0}});
  clip.tensors["text_model.embeddings.position_ids"] = Tensor::zeros({1, 20});
  clip.tensors["vision_model.embeddings.position_ids"] = Tensor::zeros({1, 17});
  const TempFolder place;
  clip.write(place);
  const TwoEncoders both = formats::openClip(place.path(), kBudgetBytes);
  EXPECT_TRUE(both.images->notes().empty()) << both.images->notes().sentences().front();
  EXPECT_TRUE(both.texts->notes().empty()) << both.texts->notes().sentences().front();
}

TEST(ImageModels, LabelsAreThoseOfTheFileOrNumbered) {
  ModelFolder m("image_models/vit");
  EXPECT_EQ(opened(m)->config().labels[4], "LABEL_4");
  m.config["id2label"] = {{"1", "cat"}, {"0", "dog"}, {"2", "a"}, {"3", "b"}, {"4", "c"}};
  EXPECT_EQ(opened(m)->config().labels, (std::vector<std::string>{"dog", "cat", "a", "b", "c"}));
  m.config["id2label"] = {{"0", "dog"}, {"5", "cat"}};
  expectUserError([&] { opened(m); }, "id2label", "\"5\"");
  m.config["id2label"] = {{"0", "dog"}, {"1", "cat"}};
  expectUserError([&] { opened(m); }, "classifier.weight", "(2, 32)");
  m.config.erase("id2label");
  m.config["num_labels"] = 5;
  EXPECT_EQ(opened(m)->config().labels[0], "LABEL_0");
}

/// Neighbours in the order of tokens may lie at opposite ends of two rows of patches.
TEST(ImageModels, HeadsAreNotMeasuredAlongALine) {
  const ModelPtr model = formats::openModel(modelData("image_models/vit"), kBudgetBytes);
  const auto document = makeModelDocument(model, imageInput(*model, Tensor::zeros({3, 16, 16})));
  const MeasuredPass pass = measureModel(document, {}, kBudgetBytes).value();
  for (const Metric metric :
       {Metric::meanDistance, Metric::local, Metric::previousToken, Metric::nextToken}) {
    EXPECT_FALSE(pass.metrics.front()[metric]);
    EXPECT_NE(pass.metrics.front()[metric].why.find("rows and columns"), std::string::npos);
  }
  for (const Metric metric : {Metric::entropy, Metric::self, Metric::firstToken}) {
    EXPECT_TRUE(pass.metrics.front()[metric]);
  }
  const auto& source = std::get<TensorSource>(*pass.trace->layer(0)->document().source);
  EXPECT_EQ(source.patches, (PatchGrid{1, 4, 4}));
}

/// The measures on the grid, against their definitions written out.
TEST(ImageModels, HeadsAreMeasuredOnTheGridOfPatches) {
  const ModelPtr model = formats::openModel(modelData("image_models/deit"), kBudgetBytes);
  const auto trace = passOf(model, randomTensor({3, 12, 20}, 5, "image", 1.0F));
  const TracePtr layer = trace->layer(1);
  const auto measures = headMetrics(*layer, 0).value();
  ASSERT_EQ(measures.size(), 4U);
  const Tensor weights = layer->materialise(TensorId::weights);
  constexpr Index kFirst = 2, kRows = 3, kColumns = 5, kPatches = kRows * kColumns;
  double distance = 0.0, local = 0.0, row = 0.0, column = 0.0;
  for (Index i = 0; i < kPatches; ++i) {
    double far = 0.0, total = 0.0;
    for (Index j = 0; j < kPatches; ++j) {
      const double weight = weights.at({0, 3, kFirst + i, kFirst + j});
      const Index down = i / kColumns - j / kColumns, across = i % kColumns - j % kColumns;
      far += weight * std::sqrt(static_cast<double>(down * down + across * across));
      total += weight;
      if (i != j && down * down <= 1 && across * across <= 1) local += weight / kPatches;
      if (i != j && down == 0) row += weight / kPatches;
      if (i != j && across == 0) column += weight / kPatches;
    }
    distance += far / total / kPatches;
  }
  EXPECT_NEAR(*measures[3][Metric::patchDistance], distance, 1e-9);
  EXPECT_NEAR(*measures[3][Metric::patchLocal], local, 1e-9);
  EXPECT_NEAR(*measures[3][Metric::sameRow], row, 1e-9);
  EXPECT_NEAR(*measures[3][Metric::sameColumn], column, 1e-9);
}

TEST(ImageModels, TextsHaveNoGridOfPatches) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const auto trace =
      runModel(makeModelDocument(model, {{1, 2, 3}, {}, {}}), nullptr, {}, kBudgetBytes);
  const MetricValue near = headMetrics(*trace->layer(0), 0)->front()[Metric::patchLocal];
  EXPECT_FALSE(near);
  EXPECT_EQ(near.why, "the tokens are no patches of an image");
}

/// A layer that is opened by itself is saved with the rows and columns of its patches.
TEST(ImageModels, ALayerKeepsItsPatchesInASession) {
  const ModelPtr model = formats::openModel(modelData("image_models/deit"), kBudgetBytes);
  const auto trace = passOf(model, Tensor::zeros({3, 8, 12}));
  formats::Session session;
  session.document = trace->documentOfLayer(1, kBudgetBytes);
  const TempFolder folder;
  formats::saveSession(folder / "layer.headscope.json", session);
  const formats::Session read = formats::loadSession(folder / "layer.headscope.json", kBudgetBytes);
  EXPECT_EQ(std::get<TensorSource>(*read.document->source).patches, (PatchGrid{2, 2, 3}));
}

TEST(ImageModels, HaveCircuitsWithoutTokens) {
  const ModelPtr model = formats::openModel(modelData("image_models/vit"), kBudgetBytes);
  EXPECT_FALSE(headCircuits(*model, {}).value().front().copying);
  expectUserError([&] { headDirections(*model, {0, 0}, 2, 3, {}); }, "reads images");
}

class OfClip : public testing::Test {
 protected:
  std::filesystem::path folder = modelData("image_models/clip");
  TwoEncoders both = formats::openClip(folder, kBudgetBytes);
  SafetensorsFile expected{folder / "expected.safetensors"};

  ModelTracePtr textPass(const std::vector<Index>& ids) const {
    return runModel(makeModelDocument(both.texts, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
  }
};

TEST_F(OfClip, TheMatchOfAnImageAndTextsIsThatOfTheDefinition) {
  const auto& inputs = json::parse(readAll(folder / "inputs.json"));
  for (const std::string which : {"0", "1"}) {
    std::vector<ModelTracePtr> texts;
    for (const json& ids : inputs.at(which).at("texts")) {
      texts.push_back(textPass(ids.get<std::vector<Index>>()));
    }
    const Match match =
        matchOf(both, *passOf(both.images, expected.read(which + ".pixel_values")), texts);
    const auto expect = [&](const char* name, const std::vector<float>& values) {
      EXPECT_LE(differenceFromGolden(values, expected.read(which + "." + name).values()),
                kGoldenRounding);
    };
    expect("image_embeds", match.image.values());
    expect("text_embeds", match.texts.values());
    expect("logits_per_image", {match.logits.begin(), match.logits.end()});
    double total = 0.0;
    for (const double p : match.probabilities) total += p;
    EXPECT_NEAR(total, 1.0, 1e-12);
  }
}

TEST_F(OfClip, TheMatchIsTheSumOfWhatEachPartOfBothHalvesAdds) {
  const auto image = passOf(both.images, expected.read("0.pixel_values"));
  const auto text = textPass({5, 9, 14, 96});
  const MatchParts found = matchParts(both, *image, *text, {}).value();
  EXPECT_NEAR(found.cosine, matchOf(both, *image, {text}).cosines.front(), 1e-12);
  for (const auto* parts : {&found.image, &found.text}) {
    double sum = 0.0;
    Index heads = 0;
    for (const WrittenPart& part : *parts) {
      sum += part.value;
      heads += part.kind == WriterKind::head ? 1 : 0;
    }
    const ModelConfig& c = (parts == &found.image ? image : text)->config();
    EXPECT_EQ(heads, c.layers * c.heads);
    EXPECT_NEAR(sum, found.cosine, 1e-5);
  }
}

TEST_F(OfClip, ATextWithoutItsEndIsRefused) {
  const auto image = passOf(both.images, expected.read("0.pixel_values"));
  expectUserError([&] { matchOf(both, *image, {textPass({1, 2, 3})}); }, "the token that ends it");
}

/// Older files call the end 2, and the largest id is the end.
TEST_F(OfClip, OfOlderFilesTheLargestIdEndsAText) {
  ModelFolder older("image_models/clip");
  older.config["text_config"]["eos_token_id"] = 2;
  const TempFolder place;
  older.write(place);
  const TwoEncoders opened = formats::openClip(place.path(), kBudgetBytes);
  const auto image = passOf(both.images, expected.read("0.pixel_values"));
  const auto cosines = [&](const TwoEncoders& of, const std::vector<Index>& ids) {
    const auto text =
        runModel(makeModelDocument(of.texts, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
    return matchOf(of, *image, {text}).cosines;
  };
  EXPECT_EQ(cosines(opened, {5, 96, 2}), cosines(both, {5, 96, 2}));
}

TEST_F(OfClip, IsFoundByItsFolder) {
  EXPECT_TRUE(formats::isClipFolder(folder));
  EXPECT_FALSE(formats::isClipFolder(modelData("image_models/clip_vision_model")));
  EXPECT_FALSE(formats::isClipFolder(modelData("nowhere")));
}

}  // namespace
}  // namespace headscope::test::models
