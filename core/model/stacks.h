// Stacks: a model is one stack of layers, or an encoder and a decoder. The encoder's pass is the
// memory of the decoder's, so that an experiment on a decoder's pass may be about parts of both.
#pragma once

#include <string>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

/// `decoder` is also the only stack of other models.
enum class Stack { decoder, encoder };

/// The pass of a stack; `trace` is that of the decoder. Throws UserError where there is no encoder.
const ModelTrace& passOf(const ModelTrace& trace, Stack stack);
ModelTracePtr passOf(const ModelTracePtr& trace, Stack stack);
/// The stacks of a pass, in the order in which they run.
std::vector<Stack> stacksOf(const ModelTrace& trace);
/// The stack whose tokens are the keys and values of a layer.
Stack keysOf(const ModelTrace& trace, Stack stack, Index layer);

/// "encoder layer 3"; of a decoder as ModelConfig::layerInWords, whose configuration it takes.
std::string layerInWords(const ModelConfig& config, Stack stack, Index layer, bool capital = false);

}  // namespace headscope::model
