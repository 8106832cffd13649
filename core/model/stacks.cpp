#include "core/model/stacks.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/translation.h"

namespace headscope::model {

const ModelTrace& passOf(const ModelTrace& trace, Stack stack) {
  if (stack == Stack::decoder) return trace;
  const ModelTracePtr& memory = trace.document().memory;
  if (memory != nullptr) return *memory;
  throw UserError(
      trFormat("{} has one stack of layers, without an encoder", trace.document().model->name()));
}

ModelTracePtr passOf(const ModelTracePtr& trace, Stack stack) {
  (void)passOf(*trace, stack);
  return stack == Stack::decoder ? trace : trace->document().memory;
}

std::vector<Stack> stacksOf(const ModelTrace& trace) {
  if (!trace.config().crossAttention) return {Stack::decoder};
  return {Stack::encoder, Stack::decoder};
}

Stack keysOf(const ModelTrace& trace, Stack stack, Index layer) {
  const bool ofMemory = stack == Stack::decoder && trace.config().readsMemory(layer);
  return ofMemory ? Stack::encoder : stack;
}

std::string layerInWords(const ModelConfig& config, Stack stack, Index layer, bool capital) {
  if (stack == Stack::decoder) return config.layerInWords(layer, capital);
  return trFormat("{} layer {}", capital ? tr("Encoder") : tr("encoder"), layer + 1);
}

}  // namespace headscope::model
