#include "app/ui/heads/value_mix.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/analysis/accumulated_mass.h"

namespace headscope::ui {

ValueMix valueMix(const Trace& trace, const ValuePlane& plane, const RowRef& row) {
  ValueMix mix;
  mix.mean = weightedMean(trace, plane, row);
  const std::span<const float> weights =
      trace.tensor(TensorId::weights).matrix({row.item, row.head}).row(row.query);
  mix.weights.assign(weights.begin(), weights.end());
  mix.largest = largestOfMass(weights, 1.0, ValueMix::kMostParts);
  const auto zeros = std::count(weights.begin(), weights.end(), 0.0F);
  const Index some = static_cast<Index>(weights.size()) - static_cast<Index>(zeros);
  mix.others = some - static_cast<Index>(mix.largest.size());
  mix.otherWeight = mix.mean.weightSum;
  for (const Index j : mix.largest) mix.otherWeight -= weights[static_cast<std::size_t>(j)];
  return mix;
}

}  // namespace headscope::ui
