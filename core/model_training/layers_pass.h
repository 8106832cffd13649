// Layers pass: one forward and backward pass of a batch through the layers of a whole model in
// training, from the residual stream that enters them to the input of the readout. The layers run
// the steps of attention, and the norms and activations of core/model.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/gradients.h"
#include "core/attention/places.h"
#include "core/model_training/layer_parameters.h"

namespace headscope::model_training {

/// The gradient of a parameter takes the memory of a tensor of as many numbers.
void putGradient(const Tensor& gradient, training::Parameter& parameter);

class LayersPass {
 public:
  /// A batch of `count` inputs of `length` tokens. The parameters must live as long as this does.
  LayersPass(std::span<const training::Parameter> parameters, const LayerPlaces& places,
             model::ModelConfig config, Index count, Index length);
  ~LayersPass();
  LayersPass(const LayersPass&) = delete;
  LayersPass& operator=(const LayersPass&) = delete;

  /// Switches a head off from the next forward on: it adds nothing to the stream (gain 0).
  void switchOff(const HeadOfLayer& head);
  /// Runs the layers and the final norm on a stream (1, B·T, D). Returns false where cancelled; the
  /// results are then invalid.
  bool forward(Tensor stream, const ExecutionContext& execution);
  /// Computes the gradients of the layers' parameters and of the final norm from that of the
  /// readout's input, `d`, which becomes the gradient of the stream that entered. Returns false
  /// where cancelled.
  bool backward(std::span<training::Parameter> parameters, Tensor& d,
                const ExecutionContext& execution);

  const model::ModelConfig& config() const { return config_; }
  const Tensor& stream() const { return stream_; }          // behind the last layer, (1, B·T, D)
  const Tensor& normalized() const { return normalized_; }  // the readout's input
  /// The weights of a layer's heads: (B, H, T, T).
  const Tensor& weights(Index layer) const;
  /// The name of the first result of the layers that is not finite, with its index; empty where all
  /// are.
  std::string firstNotFinite() const;

 private:
  struct Layer;

  bool layerForward(Index layer, const ExecutionContext& execution);
  bool layerBackward(std::span<training::Parameter> parameters, Index layer, Tensor& d,
                     const ExecutionContext& execution);
  Tensor normedStream(const Tensor& stream, std::size_t place,
                      const ExecutionContext& execution) const;
  Tensor normBackward(std::span<training::Parameter> parameters, const Tensor& stream,
                      const Tensor& dNormed, std::size_t place,
                      const ExecutionContext& execution) const;
  const Tensor& value(std::size_t place) const { return parameters_[place].value; }
  Shape batchShape() const;

  std::span<const training::Parameter> parameters_;
  LayerPlaces places_;
  model::ModelConfig config_;
  std::unique_ptr<const AttentionConfig> attention_;
  std::optional<Index> offIn_;                          // the layer with a head switched off
  std::unique_ptr<const AttentionConfig> withoutHead_;  // of that layer
  Pins noPins_;
  std::vector<std::unique_ptr<Layer>> layers_;
  Tensor stream_;
  Tensor normalized_;
};

/// Multiplies and adds of a forward pass for each token of an input of `length` tokens.
Index flopsPerToken(const LayerSettings& settings, Index parameters, Index length);
/// The most bytes of a pass over a batch of `count` inputs with so many `logits` in all, and with
/// `backward` of its gradients.
Index bytesOfPass(const model::ModelConfig& config, Index count, Index length, Index logits,
                  bool backward);

/// "name[index]" of the first number of a tensor that is not finite; empty where all are, and for
/// an empty tensor.
std::string notFiniteIn(const Tensor& tensor, const std::string& name);

}  // namespace headscope::model_training
