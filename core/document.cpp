#include "core/document.h"

#include <utility>

#include "core/formats/learned_weights.h"
#include "core/ledger.h"
#include "core/weights/designed_heads.h"

namespace headscope {
DocumentPtr makeDocument(std::string preset, AttentionConfig config, InputSource source,
                         Positions positions, WeightSource weights, Index memoryBudgetBytes,
                         bool fixedTokens, const WeightMaker& make) {
  Document d;
  d.preset = std::move(preset);
  const AttentionConfig asked = config;
  d.config = fitTo(source, std::move(config));
  if (fixedTokens) d.config.seqLen = asked.seqLen;
  d.positions = positions;
  d.weightSource = std::move(weights);
  auto problems = validate(d.config);
  if (!problems.empty()) throw UserError(std::move(problems));
  d.scoresHeld = scoresToHold(d.config, memoryBudgetBytes);
  d.source = std::make_shared<const InputSource>(std::move(source));
  d.input = std::make_shared<const Input>(makeInput(*d.source, positions, d.config));
  if (d.config.mask.lengths.empty()) d.config.mask.lengths = d.input->lengths;
  d.weights = make(d, d.weightSource.init, d.weightSource.seed);
  return std::make_shared<const Document>(std::move(d));
}

training::Material materialOf(const Document& d) {
  if (d.source == nullptr) return {};
  return training::materialOf(*d.source).value_or(training::Material{});
}

Weights drawWeightsFor(const Document& d, WeightInit init, std::uint64_t seed) {
  if (init == WeightInit::designed && d.source != nullptr) {
    return designedWeights(d.config, *d.source, d.positions, seed);
  }
  if (init == WeightInit::learned) {
    return formats::learnedWeights(d.config, materialOf(d), seed, {}).value();
  }
  return drawWeights(d.config, init, seed);
}

}  // namespace headscope
