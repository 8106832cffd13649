// Image pass: one forward and backward pass of an image model over a batch of pictures: the patches
// and the class token, the layers, and the classifier.
#pragma once

#include <string>
#include <vector>

#include "core/images/image_model.h"
#include "core/images/shapes.h"
#include "core/model_training/layers_pass.h"

namespace headscope::images {

/// The patches of drawings as a model reads them: (1, B · patches, channels · height · width), each
/// pixel from −1 to 1.
Tensor patchesOf(const std::vector<Drawing>& drawings, const model::ImageInput& input,
                 const ExecutionContext& execution);

class ImagePass {
 public:
  /// The model must live as long as this does. `patches`: (1, B · patches, …), as patchesOf.
  ImagePass(const ImageModel& model, Tensor patches);

  /// Switches a head off from the next forward on: it adds nothing to the stream (gain 0).
  void switchOff(const HeadOfLayer& head) { layers_.switchOff(head); }
  /// Runs the forward pass. Returns false where cancelled; the results are then invalid.
  bool forward(const ExecutionContext& execution);
  /// Computes the gradient of every parameter of the model from that of the logits (B, 1, labels).
  /// Returns false where cancelled.
  bool backward(ImageModel& model, const Tensor& gradLogits, const ExecutionContext& execution);

  const Tensor& logits() const { return logits_; }  // (B, 1, labels)
  /// The weights of a layer's heads: (B, H, T, T).
  const Tensor& weights(Index layer) const { return layers_.weights(layer); }
  /// The name of the first result that is not finite, with its index; empty where all are.
  std::string firstNotFinite() const;

 private:
  Tensor embedded(const ExecutionContext& execution) const;
  bool embeddingGradients(ImageModel& model, const Tensor& dStream,
                          const ExecutionContext& execution) const;
  Tensor classRows(const Tensor& stream) const;
  const Tensor& value(std::size_t place) const { return model_->parameters()[place].value; }

  const ImageModel* model_;
  Tensor patches_;
  Index tokens_ = 0, count_ = 0;  // T, B
  model_training::LayersPass layers_;
  Tensor read_;  // the classifier's input, (1, B, D)
  Tensor logits_;
};

}  // namespace headscope::images
