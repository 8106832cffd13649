// Layer tensors: what flows through a layer outside of its attention, and the derivatives of a
// number with respect to it: the residual stream at three places, and the input, the neurons and
// the addition of the network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/stacks.h"

namespace headscope::model {

enum class LayerPart {
  entering,      // the residual stream that enters the layer
  between,       // after the attention's addition
  networkInput,  // normalised, where a norm stands in front
  neurons,       // the activations that the last matrix reads; a mixture has none of its own
  network,       // what the network adds to the stream, before a norm of the sum
  leaving,       // the residual stream behind the layer
};
/// "the network's neurons".
std::string inWords(LayerPart part);

struct LayerTensor {
  LayerPart part = LayerPart::entering;
  Tensor values;    // (T, D), of neurons (T, F)
  Tensor gradient;  // likewise
};

/// The tensors of a layer in their order, without those that it lacks. `gradLast` is the derivative
/// of the number with respect to the decoder's last(), as ModelBackward takes it. Runs backward
/// from there to the layer. Nothing where cancelled. Throws UserError as ModelBackward does.
std::optional<std::vector<LayerTensor>> layerTensors(const ModelTracePtr& trace, Stack stack,
                                                     Index layer, Tensor gradLast,
                                                     const ExecutionContext& execution);

}  // namespace headscope::model
