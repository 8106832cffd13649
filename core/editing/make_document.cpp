#include "core/editing/make_document.h"

#include <memory>
#include <utility>

#include "core/document/document.h"
#include "core/heads/designed_heads.h"
#include "core/input/training_domain.h"
#include "core/training/learned_weights.h"

namespace headscope {

Weights drawWeightsFor(const Document& d, WeightInit init, std::uint64_t seed) {
  if (init == WeightInit::designed && d.source != nullptr) {
    return designedWeights(d.config, *d.source, d.positions, seed);
  }
  if (init == WeightInit::learned) {
    return formats::learnedWeights(d.config, trainingDomainOf(d), seed, {}).value();
  }
  return drawWeights(d.config, init, seed);
}

DocumentPtr makeDocument(std::string preset, AttentionConfig config, InputSource source,
                         Positions positions, WeightSource weights, Index memoryBudgetBytes,
                         bool fixedTokens, const WeightMaker& make) {
  Document d = makeDraft(std::move(preset), std::move(config), std::move(source), positions,
                         std::move(weights), memoryBudgetBytes, fixedTokens);
  d.weights = make(d, d.weightSource.init, d.weightSource.seed);
  fitGate(d.weights, d.config, d.weightSource.init, d.weightSource.seed);
  return std::make_shared<const Document>(std::move(d));
}

}  // namespace headscope
