#include "core/document.h"

#include <algorithm>
#include <array>

#include "core/ledger.h"
#include "core/weights/designed_heads.h"

namespace headscope {
namespace {

std::array<const Tensor*, 10> tensorsOf(const Document& d) {
  const Weights& w = d.weights;
  return {&d.input->x, &d.input->memory, &w.wQ, &w.wK, &w.wV, &w.wO, &w.bQ, &w.bK, &w.bV, &w.bO};
}

}  // namespace

DocumentPtr makeDocument(std::string preset, AttentionConfig config, InputSource source,
                         Positions positions, WeightSource weights, Index memoryBudgetBytes,
                         bool fixedTokens) {
  Document d;
  d.preset = std::move(preset);
  const AttentionConfig asked = config;
  d.config = fitTo(source, std::move(config));
  if (fixedTokens) d.config.seqLen = asked.seqLen;
  d.positions = positions;
  d.weightSource = std::move(weights);
  auto problems = validate(d.config);
  if (!problems.empty()) throw UserError(std::move(problems));
  checkFits(d.config, memoryBudgetBytes);
  d.source = std::make_shared<const InputSource>(std::move(source));
  d.input = std::make_shared<const Input>(makeInput(*d.source, positions, d.config));
  if (d.config.mask.lengths.empty()) d.config.mask.lengths = d.input->lengths;
  d.weights = drawWeightsFor(d, d.weightSource.init, d.weightSource.seed);
  return std::make_shared<const Document>(std::move(d));
}

Weights drawWeightsFor(const Document& d, WeightInit init, std::uint64_t seed) {
  if (init == WeightInit::designed && d.source != nullptr) {
    return designedWeights(d.config, *d.source, d.positions, seed);
  }
  return drawWeights(d.config, init, seed);
}

Index bytesNotShared(const Document& document, const Document& other) {
  const auto mine = tensorsOf(document);
  const auto theirs = tensorsOf(other);
  Index bytes = 0;
  for (const Tensor* tensor : mine) {
    if (tensor->empty()) continue;
    const bool shared = std::any_of(theirs.begin(), theirs.end(),
                                    [&](const Tensor* t) { return t->sharesStorageWith(*tensor); });
    if (!shared) bytes += tensor->size() * 4;
  }
  const auto& painted = document.config.mask.painted;
  if (painted != nullptr && painted != other.config.mask.painted) {
    bytes += static_cast<Index>(painted->allowed.size());
  }
  return bytes;
}

}  // namespace headscope
