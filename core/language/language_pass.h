// Language pass: one forward and backward pass of a language model over a batch of texts: the
// embedding, the layers and the readout, which is the embedding again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/language/language_model.h"
#include "core/model_training/layers_pass.h"

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

  /// Switches a head off from the next forward on: it adds nothing to the stream (gain 0).
  void switchOff(const HeadOfLayer& head) { layers_.switchOff(head); }
  /// Runs the forward pass. Returns false where cancelled; the results are then invalid.
  bool forward(const ExecutionContext& execution);
  /// Computes the gradient of every parameter of the model from that of the logits (B, T, V).
  /// Returns false where cancelled.
  bool backward(LanguageModel& model, const Tensor& gradLogits, const ExecutionContext& execution);

  const Tensor& logits() const { return logits_; }  // (B, T, V)
  /// The weights of a layer's heads: (B, H, T, T).
  const Tensor& weights(Index layer) const { return layers_.weights(layer); }
  /// The name of the first result that is not finite, with its index; empty where all are.
  std::string firstNotFinite() const;

 private:
  Tensor embedded(const ExecutionContext& execution) const;
  void embeddingGradients(LanguageModel& model, const Tensor& dStream,
                          const ExecutionContext& execution) const;
  const Tensor& value(std::size_t place) const { return model_->parameters()[place].value; }

  const LanguageModel* model_;
  const Texts* texts_;
  model_training::LayersPass layers_;
  Tensor logits_;
};

}  // namespace headscope::language
