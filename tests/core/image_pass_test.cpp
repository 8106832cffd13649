// The pass of an image model in training: its loss and the gradients of all parameters against
// PyTorch's in float64, on every number of threads, and its weights as a model that the program
// opens.
#include "core/images/image_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/formats/pictures/image_processor.h"
#include "core/formats/shipped_picture.h"
#include "core/images/shape_batch.h"
#include "core/model/model_trace.h"
#include "core/tensor/safetensors.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {
using namespace headscope::images;
using training::Parameter;

constexpr Index kBudgetOfImagePass = Index{1} << 30;

/// The golden file's model and pictures.
struct GoldenImages {
  GoldenImages() : model({.layers = 2, .dModel = 8, .heads = 2, .patch = 16}, 1) {
    for (Parameter& parameter : model.parameters()) {
      const Tensor value = file.read("parameter." + parameter.name);
      EXPECT_EQ(value.shape(), parameter.value.shape()) << parameter.name;
      std::copy_n(value.data(), value.size(), parameter.value.mutableData());
    }
    const Tensor rgb = file.read("rgb"), kinds = file.read("kinds");
    const Index each = rgb.size() / kinds.size();
    for (Index i = 0; i < kinds.size(); ++i) {
      Drawing drawing;
      drawing.kind = static_cast<ShapeKind>(kinds.at({i}));
      for (Index n = 0; n < each; ++n) {
        drawing.rgb.push_back(static_cast<std::uint8_t>(rgb.data()[i * each + n]));
      }
      drawings.push_back(std::move(drawing));
    }
  }

  /// Runs the pass forward and backward; returns its loss.
  double run(int threads) {
    const ScopedThreadLimit limit(threads);
    const ShapeBatch batch(drawings, model.settings(), {});
    ImagePass pass(model, batch.patches);
    EXPECT_TRUE(pass.forward({}));
    Tensor gradient = Tensor::uninitialised(pass.logits().shape());
    const double loss = batch.losses(pass.logits(), {}, gradient).loss;
    EXPECT_TRUE(pass.backward(model, gradient, {}));
    logits = pass.logits();
    return loss;
  }

  SafetensorsFile file{headscope::golden("images/gradients")};
  ImageModel model;
  std::vector<Drawing> drawings;
  Tensor logits;
};

TEST(ImagePass, LossAndGradientsAreThoseOfPyTorch) {
  GoldenImages golden;
  EXPECT_NEAR(golden.run(1), static_cast<double>(golden.file.read("loss").at({0})), 1e-6);
  for (const Parameter& parameter : golden.model.parameters()) {
    const Tensor wanted = golden.file.read("gradient." + parameter.name);
    const std::vector<float> numbers = wanted.values();
    const float largest = std::abs(
        *std::ranges::max_element(numbers, {}, [](float number) { return std::abs(number); }));
    // the gradient of b_K is 0: it adds the same to all scores of a row
    const float bound = 2e-6F + 1e-5F * largest;
    for (Index i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(parameter.gradient.data()[i], wanted.data()[i], bound)
          << parameter.name << " " << i;
    }
  }
}

TEST(ImagePass, GradientsHaveTheSameBitsOnEveryNumberOfThreads) {
  GoldenImages one, several;
  EXPECT_EQ(one.run(1), several.run(3));
  for (std::size_t i = 0; i < one.model.parameters().size(); ++i) {
    EXPECT_EQ(one.model.parameters()[i].gradient.values(),
              several.model.parameters()[i].gradient.values())
        << one.model.parameters()[i].name;
  }
}

/// The picture is read as the window reads it, by the processor of its folder, here ViT's own.
TEST(ImagePass, ItsModelGivesTheSameLogits) {
  GoldenImages golden;
  golden.run(1);
  const model::ModelPtr model = golden.model.model("golden");
  const formats::ImageProcessor processor = formats::imageProcessorOf({}, model->config());
  for (std::size_t i = 0; i < golden.drawings.size(); ++i) {
    const formats::Picture picture = formats::pictureOf(golden.drawings[i]);
    const auto input = imageInput(*model, formats::pixelsOf(processor, picture, 3));
    const model::ModelTracePtr trace =
        model::runModel(model::makeModelDocument(model, input), nullptr, {}, kBudgetOfImagePass);
    for (Index label = 0; label < kShapeKinds; ++label) {
      EXPECT_NEAR(trace->logits(0, 1).data()[label],
                  golden.logits.at({static_cast<Index>(i), 0, label}), 1e-5F);
    }
  }
}

TEST(ImagePass, AHeadThatIsOffIsOneWhoseOutputIsMultipliedBy0) {
  GoldenImages golden;
  const ShapeBatch batch(golden.drawings, golden.model.settings(), {});
  ImagePass off(golden.model, batch.patches);
  off.switchOff({1, 1});
  ASSERT_TRUE(off.forward({}));
  Tensor& wO = golden.model.parameters()[golden.model.places().attention(1) + 3].value;
  for (Index row = 0; row < 8; ++row) std::fill_n(wO.mutableData() + row * 8 + 4, 4, 0.0F);
  ImagePass zeroed(golden.model, batch.patches);
  ASSERT_TRUE(zeroed.forward({}));
  EXPECT_EQ(off.logits().values(), zeroed.logits().values());
}

}  // namespace
}  // namespace headscope::test
