#include "core/model/model_config.h"

#include "core/attention/config.h"

namespace headscope::model {

AttentionConfig ModelConfig::attention(Index layer, Index tokens) const {
  AttentionConfig c;
  c.dModel = dModel;
  c.numHeads = heads;
  c.numKvHeads = kvHeads;
  c.headDim = heads * headDim == dModel ? 0 : headDim;
  c.seqLen = tokens;
  c.bias = queryKeyValueBias || outputBias;
  c.scale = scale;
  if (scaleByLayer) c.temperature = static_cast<double>(layer) + 1.0;
  c.rotary = rotary;
  c.mask.causal = causal;
  if (!windows.empty()) c.mask.window = windows[static_cast<std::size_t>(layer)];
  return c;
}

Index ModelConfig::parameters(bool readoutOfItsOwn) const {
  const Index queries = heads * headDim;
  const Index keys = kvHeads * headDim;
  const Index norm = attentionOnly ? 0 : rmsNorm ? dModel : 2 * dModel;
  Index layer =
      2 * queries * dModel + 2 * keys * dModel + (gated ? 3 : 2) * dModel * ffWidth + 2 * norm;
  if (queryKeyValueBias) layer += queries + 2 * keys;
  if (outputBias) layer += dModel;
  if (feedForwardBias) layer += (gated ? 2 : 1) * ffWidth + dModel;
  if (headNorm) layer += 2 * headDim;
  Index all = layers * layer + (vocabulary + positionRows + tokenTypes) * dModel;
  if (embeddingNorm) all += norm;
  if (preNorm) all += norm;  // the final one
  if (readoutOfItsOwn) all += vocabulary * dModel;
  if (attentionOnly) all += vocabulary;  // the readout's bias
  return all;
}

}  // namespace headscope::model
