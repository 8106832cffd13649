#include "core/training/learned_layers.h"

#include <algorithm>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/training/learned_weights.h"

namespace headscope {
namespace {

constexpr Index kMostKeptBytes = Index{64} << 20;

Index bytesOf(const Weights& weights) {
  Index values = 0;
  for (const Tensor* each : {&weights.wQ, &weights.wK, &weights.wV, &weights.wO, &weights.bQ,
                             &weights.bK, &weights.bV, &weights.bO}) {
    values += each->size();
  }
  return values * static_cast<Index>(sizeof(float));
}

}  // namespace

LearnedSizes::LearnedSizes(const AttentionConfig& c, const TrainingDomain& from,
                           std::uint64_t seedOfAll)
    : dModel(c.dModel),
      numHeads(c.numHeads),
      numKvHeads(c.numKvHeads),
      headDim(c.dKDivides() ? 0 : c.dK()),
      bias(c.switches->bias),
      domain(from),
      seed(seedOfAll) {}

std::optional<Weights> LearnedLayers::find(const AttentionConfig& config,
                                           const TrainingDomain& domain, std::uint64_t seed) {
  if (auto shipped = formats::learnedAsset(config, domain, seed)) return shipped;
  const LearnedSizes sizes(config, domain, seed);
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, sizes, [](const auto& each) { return each.first; });
  if (found == kept_.end()) return std::nullopt;
  std::rotate(kept_.begin(), found, std::next(found));
  return kept_.front().second;
}

void LearnedLayers::keep(const LearnedSizes& sizes, const Weights& weights) {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const auto& each) { return each.first == sizes; });
  kept_.emplace_front(sizes, weights);
  Index bytes = 0;
  for (const auto& each : kept_) bytes += bytesOf(each.second);
  while (bytes > kMostKeptBytes) {
    bytes -= bytesOf(kept_.back().second);
    kept_.pop_back();
  }
}

}  // namespace headscope
