// Language pass: one forward and backward pass of a language model over a batch of texts. Its
// layers run the steps of attention, and the norms and activations of core/model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/gradients.h"
#include "core/attention/places.h"
#include "core/language/language_model.h"

namespace headscope::language {

/// B texts of T tokens each: (B, T), row-major.
struct Texts {
  Index count = 0;
  Index length = 0;
  std::vector<std::int32_t> tokens;
};

class LanguagePass {
 public:
  /// The model and the texts must live as long as this does. Texts are at most `context` long.
  LanguagePass(const LanguageModel& model, const Texts& texts);
  ~LanguagePass();
  LanguagePass(const LanguagePass&) = delete;
  LanguagePass& operator=(const LanguagePass&) = delete;

  /// Switches a head off from the next forward on: it adds nothing to the stream (gain 0).
  void switchOff(const HeadOfLayer& head);
  /// Runs the forward pass. Returns false where cancelled; the results are then invalid.
  bool forward(const ExecutionContext& execution);
  /// Computes the gradient of every parameter of the model from that of the logits (B, T, V).
  /// Returns false where cancelled.
  bool backward(LanguageModel& model, const Tensor& gradLogits, const ExecutionContext& execution);

  const Tensor& logits() const { return logits_; }  // (B, T, V)
  /// The weights of a layer's heads: (B, H, T, T).
  const Tensor& weights(Index layer) const;
  /// The name of the first result that is not finite, with its index; empty where all are.
  std::string firstNotFinite() const;

 private:
  struct Layer;

  Tensor embedded(const ExecutionContext& execution) const;
  void embeddingGradients(LanguageModel& model, const Tensor& dStream,
                          const ExecutionContext& execution) const;
  bool layerForward(Index layer, const ExecutionContext& execution);
  bool layerBackward(LanguageModel& model, Index layer, Tensor& dStream,
                     const ExecutionContext& execution);
  Tensor normedStream(const Tensor& stream, std::size_t place,
                      const ExecutionContext& execution) const;
  Tensor normBackward(LanguageModel& model, const Tensor& stream, const Tensor& dNormed,
                      std::size_t place, const ExecutionContext& execution) const;
  const Tensor& value(std::size_t place) const { return model_->parameters()[place].value; }

  const LanguageModel* model_;
  const Texts* texts_;
  model::ModelConfig config_;
  std::unique_ptr<const AttentionConfig> attention_;
  std::optional<Index> offIn_;                          // the layer with a head switched off
  std::unique_ptr<const AttentionConfig> withoutHead_;  // of that layer
  Pins noPins_;
  std::vector<std::unique_ptr<Layer>> layers_;
  Tensor stream_;      // behind the last layer, (1, B·T, D) as all streams
  Tensor normalized_;  // the readout's input
  Tensor logits_;
};

}  // namespace headscope::language
