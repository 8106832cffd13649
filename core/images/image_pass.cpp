#include "core/images/image_pass.h"

#include <algorithm>
#include <utility>

#include "core/attention/steps/linear.h"
#include "core/model/image_embedding.h"
#include "core/model/rows.h"

namespace headscope::images {
namespace {

/// (channels, height, width), each from −1 to 1 as ViT's processor gives them.
std::vector<float> pixelsOf(const Drawing& drawing) {
  constexpr Index kArea = kDrawingSide * kDrawingSide, kChannels = 3;
  std::vector<float> pixels(static_cast<std::size_t>(kChannels * kArea));
  for (Index i = 0; i < kChannels * kArea; ++i) {
    const double value = drawing.rgb[static_cast<std::size_t>(i % kArea * kChannels + i / kArea)];
    pixels[static_cast<std::size_t>(i)] = static_cast<float>((value / 255.0 - 0.5) / 0.5);
  }
  return pixels;
}

Index tokensOf(const ImageModelSettings& settings) {
  const model::ImageInput image = inputOf(settings);
  return image.tokensOf(image.size);
}

}  // namespace

Tensor patchesOf(const std::vector<Drawing>& drawings, const model::ImageInput& input,
                 const ExecutionContext& execution) {
  const Index each = input.grid().area(), width = model::patchNumbers(input);
  Tensor patches = Tensor::uninitialised({1, std::ssize(drawings) * each, width}, execution.memory);
  parallelFor(std::ssize(drawings), execution, [&](Index i) {
    const std::vector<float> pixels = pixelsOf(drawings[static_cast<std::size_t>(i)]);
    for (Index patch = 0; patch < each; ++patch) {
      model::cutPatch(input, pixels.data(), input.size, patch,
                      patches.mutableData() + (i * each + patch) * width);
    }
  });
  return patches;
}

ImagePass::ImagePass(const ImageModel& model, Tensor patches)
    : model_(&model),
      patches_(std::move(patches)),
      tokens_(tokensOf(model.settings())),
      count_(patches_.dim(1) / (tokens_ - 1)),
      layers_(model.parameters(), model.places(), configOf(model.settings()), count_, tokens_) {}

bool ImagePass::forward(const ExecutionContext& execution) {
  if (!layers_.forward(embedded(execution), execution)) return false;
  const std::size_t at = model_->places().classifier();
  read_ = classRows(layers_.normalized());
  logits_ = linear(read_, value(at), value(at + 1), execution).reshaped({count_, 1, kShapeKinds});
  return !execution.stop();
}

/// The row of the class token of each picture: (1, B, D).
Tensor ImagePass::classRows(const Tensor& stream) const {
  const Index width = stream.dim(2);
  Tensor rows = Tensor::uninitialised({1, count_, width});
  for (Index i = 0; i < count_; ++i) {
    std::copy_n(stream.data() + i * tokens_ * width, width, rows.mutableData() + i * width);
  }
  return rows;
}

bool ImagePass::backward(ImageModel& model, const Tensor& gradLogits,
                         const ExecutionContext& execution) {
  const std::size_t at = model.places().classifier();
  const Tensor dLogits = gradLogits.reshaped({1, count_, kShapeKinds});
  LinearBackward classifier{value(at), dLogits, true};
  const Tensor dRead = linearBackward(read_, {&classifier, 1}, execution);
  const Index width = dRead.dim(2);
  Tensor d = Tensor::zeros({1, count_ * tokens_, width});
  for (Index i = 0; i < count_; ++i) {
    std::copy_n(dRead.data() + i * width, width, d.mutableData() + i * tokens_ * width);
  }
  model_training::putGradient(classifier.dWeight, model.parameters()[at]);
  model_training::putGradient(classifier.dBias, model.parameters()[at + 1]);
  if (!layers_.backward(model.parameters(), d, execution)) return false;
  return embeddingGradients(model, d, execution);
}

/// (1, B·T, D): the class token, then the projected patches, each with its position.
Tensor ImagePass::embedded(const ExecutionContext& execution) const {
  const ImagePlaces& places = model_->places();
  const Tensor projected =
      linear(patches_, value(places.patches()), value(places.patches() + 1), execution);
  const Index width = projected.dim(2);
  const float* positions = value(places.positions()).data();
  Tensor stream = Tensor::uninitialised({1, count_ * tokens_, width}, execution.memory);
  model::parallelForRows(count_ * tokens_, execution, [&](Index row) {
    const Index image = row / tokens_, token = row % tokens_;
    const float* from = token == 0 ? value(places.classToken()).data()
                                   : projected.data() + (image * (tokens_ - 1) + token - 1) * width;
    const float* position = positions + token * width;
    float* to = stream.mutableData() + row * width;
    for (Index j = 0; j < width; ++j) to[j] = from[j] + position[j];
  });
  return stream;
}

/// A position's gradient is the sum over the pictures, in their order; the class token's is that of
/// its position.
bool ImagePass::embeddingGradients(ImageModel& model, const Tensor& dStream,
                                   const ExecutionContext& execution) const {
  const ImagePlaces& places = model.places();
  const Index width = dStream.dim(2);
  Tensor dPositions = Tensor::zeros({tokens_, width});
  Tensor dProjected = Tensor::uninitialised({1, count_ * (tokens_ - 1), width}, execution.memory);
  model::parallelForRows(tokens_, execution, [&](Index token) {
    float* sums = dPositions.mutableData() + token * width;
    for (Index image = 0; image < count_; ++image) {
      const float* from = dStream.data() + (image * tokens_ + token) * width;
      for (Index j = 0; j < width; ++j) sums[j] += from[j];
      if (token == 0) continue;
      std::copy_n(from, width,
                  dProjected.mutableData() + (image * (tokens_ - 1) + token - 1) * width);
    }
  });
  LinearBackward projection{value(places.patches()), dProjected, true};
  linearBackward(patches_, {&projection, 1}, execution, false);
  const auto put = [&](std::size_t place, const Tensor& gradient) {
    model_training::putGradient(gradient, model.parameters()[place]);
  };
  put(places.patches(), projection.dWeight);
  put(places.patches() + 1, projection.dBias);
  put(places.classToken(), dPositions.slice(0, 0, 1).clone());
  put(places.positions(), dPositions);
  return !execution.stop();
}

std::string ImagePass::firstNotFinite() const {
  const std::string found = layers_.firstNotFinite();
  return found.empty() ? model_training::notFiniteIn(logits_, "logits") : found;
}

}  // namespace headscope::images
