// Runs on drawn shapes: they repeat exactly on every number of threads, continue from snapshots and
// saved folders as if they had not stopped, learn, and become a folder that opens as a ViT.
#include "core/images/shape_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <string>

#include "core/formats/pictures/image_processor.h"
#include "core/formats/shape_run.h"
#include "core/formats/shipped_picture.h"
#include "tests/core/support/model_folders.h"
#include "tests/core/support/trainer_runs.h"

namespace headscope::test {
namespace {
using namespace headscope::images;

ShapeSettings smallShapes(Index steps = 4) {
  ShapeSettings s;
  s.model = {.layers = 2, .dModel = 16, .heads = 2, .patch = 12};
  s.batch = 8;
  s.steps = steps;
  s.warmUp = 2;
  s.evaluateEvery = 2;
  return s;
}

TEST(ShapeTrainer, ARunIsTheSameOnEveryNumberOfThreads) {
  ShapeTrainer one(smallShapes(), kBudgetBytes), three(smallShapes(), kBudgetBytes);
  runToEnd(one, 1);
  runToEnd(three, 3);
  EXPECT_EQ(weightsOf(one), weightsOf(three));
  ASSERT_EQ(one.evaluations().size(), 3U);  // at the start, after 2 steps and at the end
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(one.evaluations()[e].answers.loss, three.evaluations()[e].answers.loss);
    EXPECT_EQ(one.evaluations()[e].answers.onShape, three.evaluations()[e].answers.onShape);
  }
}

TEST(ShapeTrainer, FromAnEarlierSnapshotItRepeatsExactly) {
  ShapeTrainer run(smallShapes(), kBudgetBytes);
  runToEnd(run);
  const std::vector<float> numbers = weightsOf(run);
  run.goBack(3);
  EXPECT_EQ(run.stepsTaken(), 2);
  EXPECT_EQ(run.evaluations().size(), 2U);
  EXPECT_NE(weightsOf(run), numbers);
  runToEnd(run);
  EXPECT_EQ(weightsOf(run), numbers);
}

TEST(ShapeTrainer, ASavedRunContinuesAsIfItHadNotStopped) {
  ShapeTrainer whole(smallShapes(), kBudgetBytes), begun(smallShapes(), kBudgetBytes);
  for (int step = 0; step < 3; ++step) ASSERT_TRUE(begun.step({}));
  const TempFolder folder;
  formats::saveRun(folder.path(), begun);
  const auto continued = formats::loadShapeRun(folder.path(), kBudgetBytes);
  EXPECT_EQ(continued->stepsTaken(), 3);
  EXPECT_EQ(continued->settings(), smallShapes());
  runToEnd(whole);
  runToEnd(*continued);
  EXPECT_EQ(weightsOf(*continued), weightsOf(whole));
  EXPECT_EQ(continued->evaluations().size(), whole.evaluations().size());
  EXPECT_EQ(continued->evaluations()[1].answers.onClass, whole.evaluations()[1].answers.onClass);
  EXPECT_EQ(continued->evaluations()[1].answers.rightOf, whole.evaluations()[1].answers.rightOf);
}

TEST(ShapeTrainer, StopsWithASentenceWhereANumberLeavesTheRange) {
  ShapeSettings settings = smallShapes(50);
  settings.optimiser.learningRate = 1e30;
  settings.warmUp = 0;
  ShapeTrainer run(settings, kBudgetBytes);
  runToEnd(run);
  ASSERT_TRUE(run.stopped());
  EXPECT_NE(run.stopped()->words.find("lower learning rate"), std::string::npos);
  for (const float number : weightsOf(run)) ASSERT_TRUE(std::isfinite(number));
}

TEST(ShapeTrainer, ACancelledStepCanBeTakenAgain) {
  ShapeTrainer run(smallShapes(), kBudgetBytes), whole(smallShapes(), kBudgetBytes);
  const std::atomic<bool> cancelled = true;
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  EXPECT_FALSE(run.step(execution));
  ASSERT_TRUE(run.step({}));
  EXPECT_FALSE(run.step(execution));
  EXPECT_EQ(run.stepsTaken(), 1);
  runToEnd(run);
  runToEnd(whole);
  EXPECT_EQ(weightsOf(run), weightsOf(whole));
}

TEST(ShapeTrainer, RefusesWhatCannotBe) {
  const auto refused = [](auto change, const char* part) {
    ShapeSettings settings = smallShapes();
    change(settings);
    expectUserError([&] { ShapeTrainer(settings, kBudgetBytes); }, part);
  };
  refused([](ShapeSettings& s) { s.model.layers = 0; }, "layers is 0");
  refused([](ShapeSettings& s) { s.model.heads = 3; }, "3");
  refused([](ShapeSettings& s) { s.model.heads = 0; }, "0");
  refused([](ShapeSettings& s) { s.model.dModel = 0; }, "0");
  refused([](ShapeSettings& s) { s.model.patch = 7; }, "patches of 7 pixels");
  refused([](ShapeSettings& s) { s.model.patch = 0; }, "patches of 0 pixels");
  refused([](ShapeSettings& s) { s.batch = 0; }, "batch is 0");
  refused([](ShapeSettings& s) { s.model.dModel = 8192, s.batch = 1024; }, "reduce batch");
}

TEST(ShapeAnswers, WithoutAHeadAreThoseOfAModelWhoseHeadGivesNothing) {
  ShapeTrainer run(smallShapes(), kBudgetBytes);
  runToEnd(run);
  const auto whole = shapeAnswers(run.model(), {});
  const auto without = shapeAnswers(run.model(), {}, HeadOfLayer{1, 1});
  EXPECT_NE(whole->loss, without->loss);
  for (training::Parameter& parameter : run.parameters()) {
    if (parameter.name != "layers.1.W_O") continue;
    for (Index row = 0; row < 16; ++row) {
      std::fill_n(parameter.value.mutableData() + row * 16 + 8, 8, 0.0F);
    }
  }
  EXPECT_EQ(shapeAnswers(run.model(), {})->loss, without->loss);
}

/// Heads that look everywhere alike, as those of a model whose scores are all 0, put on the shape
/// what its patches are of all tokens.
TEST(ShapeAnswers, EvenWeightsLieOnTheShapeByItsShare) {
  const ImageModelSettings settings = smallShapes().model;
  ImageModel model(settings, 1);
  for (training::Parameter& parameter : model.parameters()) {
    if (!parameter.name.ends_with("W_Q")) continue;
    std::fill_n(parameter.value.mutableData(), parameter.value.size(), 0.0F);
  }
  const auto answers = shapeAnswers(model, {});
  for (const double share : answers->onShape) EXPECT_NEAR(share, touchedShare(settings), 1e-6);
  for (const double share : answers->onClass) EXPECT_NEAR(share, 1.0 / 17.0, 1e-6);
}

TEST(ImageModelFolder, OpensAsTheModelThatWasTrained) {
  ShapeTrainer run(smallShapes(), kBudgetBytes);
  runToEnd(run);
  const TempFolder folder;
  formats::saveAsModel(folder.path(), run.model());
  const model::ModelPtr opened = formats::openModel(folder.path(), kBudgetBytes);
  EXPECT_TRUE(opened->notes().empty()) << opened->notes().sentences().front();
  EXPECT_EQ(opened->parameters(), parameterCount(smallShapes().model));
  EXPECT_EQ(opened->config(), run.modelNow()->config());
  const formats::ImageProcessor processor =
      formats::imageProcessorOf(folder.path(), opened->config());
  EXPECT_EQ(processor, formats::imageProcessorOf({}, opened->config())) << "ViT's own";
  const formats::Picture picture = formats::readPicture("headscope:shapes/triangle");
  const Tensor pixels = formats::pixelsOf(processor, picture, 3);
  const auto logitsOfImage = [&](const model::ModelPtr& model) {
    const auto document = model::makeModelDocument(model, imageInput(*model, pixels));
    return model::runModel(document, nullptr, {}, kBudgetBytes)->logits(0, 1).values();
  };
  const std::vector<float> read = logitsOfImage(opened), trained = logitsOfImage(run.modelNow());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_NEAR(read[i], trained[i], 2e-3F);
}

/// transformers wrote the other file, a ViTForImageClassification of two layers.
TEST(ImageModelFolder, HasTheTensorsOfTransformers) {
  const ShapeTrainer run(smallShapes(0), kBudgetBytes);
  const TempFolder folder;
  formats::saveAsModel(folder.path(), run.model());
  const SafetensorsFile written(folder.path() / "model.safetensors");
  const SafetensorsFile wanted(modelData("image_models/vit") / "model.safetensors");
  std::vector<std::string> names = written.names(), wantedNames = wanted.names();
  std::ranges::sort(names);
  std::ranges::sort(wantedNames);
  EXPECT_EQ(names, wantedNames);
  // the sizes of the other model, and this one's in their place
  const std::map<Index, Index> sizes{{1, 1}, {3, 3}, {4, 12}, {5, 3}, {17, 17}, {32, 16}, {48, 64}};
  for (const std::string& name : names) {
    Shape expected = wanted.shape(name);
    for (Index& size : expected) size = sizes.at(size);
    EXPECT_EQ(written.shape(name), expected) << name;
  }
}

TEST(ImageModelFolder, HasTheFieldsOfTransformers) {
  const ShapeTrainer run(smallShapes(0), kBudgetBytes);
  const TempFolder folder;
  formats::saveAsModel(folder.path(), run.model());
  const auto config = nlohmann::json::parse(readAll(folder.path() / "config.json"));
  const auto wanted = nlohmann::json::parse(readAll(modelData("image_models/vit") / "config.json"));
  for (const auto& [field, value] : config.items()) {
    // transformers 4 writes the type of the weights as torch_dtype and reads both
    const std::string name = field == "torch_dtype" ? "dtype" : field;
    ASSERT_TRUE(wanted.contains(name)) << field;
    EXPECT_EQ(value.type(), wanted[name].type()) << field;
  }
  for (const char* field : {"architectures", "model_type", "hidden_act", "qkv_bias"}) {
    EXPECT_EQ(config[field], wanted[field]) << field;
  }
  EXPECT_EQ(config["id2label"].size(), 3U);
  const auto processor = nlohmann::json::parse(readAll(folder.path() / "preprocessor_config.json"));
  EXPECT_EQ(processor["image_processor_type"], "ViTImageProcessor");
  EXPECT_EQ(processor["size"], (nlohmann::json{{"height", 48}, {"width", 48}}));
  for (const char* field : {"do_resize", "do_rescale", "do_normalize"}) {
    EXPECT_EQ(processor[field], true) << field;
  }
}

}  // namespace
}  // namespace headscope::test
