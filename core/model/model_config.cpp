#include "core/model/model_config.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/translation.h"

namespace headscope::model {
namespace {

/// The temperature that makes 1/√d_k / temperature the factor; 1 where it is 1/√d_k.
double temperatureFor(double factor, double rootDk) {
  constexpr double kRounding = 1e-12;
  const double temperature = 1.0 / (factor * rootDk);
  return std::abs(temperature - 1.0) < kRounding ? 1.0 : temperature;
}

}  // namespace

Rotary ModelConfig::rotaryAt(Index layer, Index tokens) const {
  Rotary r = rotaryOfLayer.empty() ? rotary : rotaryOfLayer[static_cast<std::size_t>(layer)];
  if (!r.on() || longTexts.positions == 0 || tokens <= longTexts.positions) return r;
  if (longTexts.dynamicFactor > 0.0) {  // dynamic NTK (transformers)
    const auto longer = static_cast<double>(tokens) / static_cast<double>(longTexts.positions);
    const auto turning = static_cast<double>(r.turning(headDim));
    const double factor = longTexts.dynamicFactor;
    r.theta *= std::pow(factor * longer - (factor - 1.0), turning / (turning - 2.0));
  }
  if (!longTexts.divisors.empty()) r.divisors = longTexts.divisors;
  return r;
}

bool ModelConfig::plainScores() const {
  const bool rotates = rotary.on() || std::ranges::any_of(rotaryOfLayer, &Rotary::on);
  return !rotates && !headNorm.on && !relative.on() && !latent.on();
}

Index ModelConfig::attentionWidth() const {
  if (!latent.on()) return dModel;
  const Index ofQueries = latent.queries > 0 ? latent.queries : dModel;
  return std::max(dModel, ofQueries + latent.keys + latent.rotated);
}

std::string ModelConfig::layerInWords(Index layer, bool capital) const {
  const char* kind = !crossAttention      ? ""
                     : readsMemory(layer) ? ", cross-attention"
                                          : ", self-attention";
  return fmt::format("{} {}{}", capital ? tr("Layer") : tr("layer"), depthOf(layer) + 1, kind);
}

std::string ModelConfig::attentionInWords(Index layer) const {
  const char* kind = !crossAttention ? "" : readsMemory(layer) ? "cross-" : "self-";
  return trFormat("layer {}'s {}attention", depthOf(layer) + 1, kind);
}

AttentionConfig ModelConfig::attention(Index layer, Index tokens, Index memory) const {
  AttentionConfig c;
  c.dModel = attentionWidth();
  c.numHeads = heads;
  c.numKvHeads = kvHeads;
  c.headDim = heads * headDim == c.dModel ? 0 : headDim;
  c.seqLen = tokens;
  c.switches->bias = queryKeyValueBias || outputBias;
  c.switches->scale = scale || scoreFactor.has_value();
  c.mistakes.modelHasNoScale = !c.switches->scale;
  if (scoreFactor) c.switches->temperature = temperatureFor(*scoreFactor, c.rootDk());
  if (scaleByLayer) c.switches->temperature *= static_cast<double>(layer) + 1.0;
  c.switches->scoreCap = scoreCap;
  if (readsMemory(layer)) {
    c.memoryLen = memory;
    return c;
  }
  c.switches->alibi = alibi;
  c.rotary = rotaryAt(layer, tokens);
  c.mask.causal = causal;
  if (!windows.empty()) c.mask.window = windows[static_cast<std::size_t>(layer)];
  return c;
}

}  // namespace headscope::model
