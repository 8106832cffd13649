#include "core/images/image_model.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

#include "core/attention/limits.h"
#include "core/base/error.h"
#include "core/images/shapes.h"
#include "core/model/image_embedding.h"

namespace headscope::images {
namespace {
using model_training::ParameterEntry;

/// Names, shapes and first values of all parameters, in order.
std::vector<ParameterEntry> entriesOf(const ImageModelSettings& s) {
  const model::ImageInput image = inputOf(s);
  std::vector<ParameterEntry> entries;
  addLinear(entries, "patches", s.dModel, model::patchNumbers(image));
  entries.push_back({"class_token", {1, s.dModel}, true});
  entries.push_back({"positions", {image.tokensOf(image.size), s.dModel}, true});
  addLayers(entries, s.ofLayers());
  addLinear(entries, "classifier", kShapeKinds, s.dModel);
  return entries;
}

class ImageWeights : public model_training::CopiedWeights {
 public:
  explicit ImageWeights(const ImageModel& model)
      : CopiedWeights(model.parameters(), model.settings().ofLayers(), model.places()),
        places_(model.places()) {}

  model::Embedding embedding() const override {
    model::Embedding embedding;
    embedding.patches = value(places_.patches());
    embedding.patchesBias = value(places_.patches() + 1);
    embedding.specials = value(places_.classToken());
    embedding.positions = value(places_.positions());
    return embedding;
  }

  model::Readout readout() const override {
    model::Readout readout;
    readout.norm = normAt(places_.finalNorm());
    readout.decoder = value(places_.classifier());
    readout.bias = value(places_.classifier() + 1);
    return readout;
  }

 private:
  ImagePlaces places_;
};

}  // namespace

void checkImageModel(const ImageModelSettings& s) {
  if (s.patch < 1 || kDrawingSide % s.patch != 0) {
    throw UserError(fmt::format(
        "patches of {} pixels do not fill a picture of {}: give a side that divides it, such as 6",
        s.patch, kDrawingSide));
  }
  const model::ImageInput image = inputOf(s);
  checkLayers(s.ofLayers(), image.tokensOf(image.size));
}

model::ImageInput inputOf(const ImageModelSettings& s) {
  model::ImageInput image;
  image.size = {kDrawingSide, kDrawingSide};
  image.patch = {s.patch, s.patch};
  return image;
}

model::ModelConfig configOf(const ImageModelSettings& s) {
  model::ModelConfig c;
  c.modelType = "vit";
  describeLayers(s.ofLayers(), c);
  c.causal = false;
  c.positions = Limits::kTokens;  // nothing in the model limits their number
  c.activation = model::Activation::geluErf;
  c.image = inputOf(s);
  c.reads = model::Reads::classToken;
  c.labels.assign(kShapeNames.begin(), kShapeNames.end());
  c.vocabulary = kShapeKinds;
  c.tied = model::ModelConfig::Tied::no;
  c.languageModelHead = false;
  c.lastStateNormed = false;
  return c;
}

Index parameterCount(const ImageModelSettings& settings) {
  return model_training::parameterCount(entriesOf(settings));
}

ImageModel::ImageModel(const ImageModelSettings& settings, std::uint64_t seed)
    : settings_(settings),
      places_(settings),
      parameters_(model_training::firstParameters(entriesOf(settings), seed)) {}

model::ModelPtr ImageModel::model(std::string name) const {
  constexpr Index kUnlimited = std::numeric_limits<Index>::max();
  return std::make_shared<const model::Model>(std::move(name), configOf(settings_),
                                              std::make_unique<const ImageWeights>(*this),
                                              kUnlimited);
}

}  // namespace headscope::images
