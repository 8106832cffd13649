// Image model: a transformer in training that reads pictures, of ViT's shape (Dosovitskiy et al.
// 2021): a projection of each patch behind a class token, learned positions, layers of LayerNorm →
// attention → + → LayerNorm → network → +, a last LayerNorm, and a classifier that reads the class
// token.
//
// model() gives its weights as a model that every part of the program opens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/model_training/layer_parameters.h"

namespace headscope::images {

/// T = 1 + patches tokens.
struct ImageModelSettings {
  Index layers = 2;
  Index dModel = 64;
  Index heads = 4;
  Index patch = 6;  // pixels of a patch's side

  model_training::LayerSettings ofLayers() const {
    return {.layers = layers, .dModel = dModel, .heads = heads};
  }
  bool operator==(const ImageModelSettings&) const = default;
};

/// Throws UserError for sizes that are not possible.
void checkImageModel(const ImageModelSettings& settings);
/// How the model cuts a drawing into tokens.
model::ImageInput inputOf(const ImageModelSettings& settings);
/// The settings as those of a model that reads drawings (shapes.h) and names their shape.
model::ModelConfig configOf(const ImageModelSettings& settings);
Index parameterCount(const ImageModelSettings& settings);

/// Where the parameters of each part stand among all of them.
class ImagePlaces : public model_training::LayerPlaces {
 public:
  explicit ImagePlaces(const ImageModelSettings& settings) : LayerPlaces(settings.ofLayers(), 4) {}

  /// The weight (D, channels · height · width); the bias follows.
  std::size_t patches() const { return 0; }
  std::size_t classToken() const { return 2; }
  std::size_t positions() const { return 3; }
  /// The weight (labels, D); the bias follows.
  std::size_t classifier() const { return behindLayers(); }
};

class ImageModel {
 public:
  /// Draws matrices from N(0, 0.02²), from streams of the seed; biases are 0, gains 1.
  ImageModel(const ImageModelSettings& settings, std::uint64_t seed);
  ImageModel(const ImageModel&) = delete;
  ImageModel& operator=(const ImageModel&) = delete;

  const ImageModelSettings& settings() const { return settings_; }

  /// "patches.weight", "patches.bias", "class_token", "positions", the layers (addLayers), then
  /// "classifier.weight" and "classifier.bias". Matrices are (out, in), y = x Wᵀ + b.
  std::span<training::Parameter> parameters() { return parameters_; }
  std::span<const training::Parameter> parameters() const { return parameters_; }

  /// A copy of its present weights as a model.
  model::ModelPtr model(std::string name) const;

  const ImagePlaces& places() const { return places_; }

 private:
  ImageModelSettings settings_;
  ImagePlaces places_;
  std::vector<training::Parameter> parameters_;
};

}  // namespace headscope::images
