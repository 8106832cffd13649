// Looks values: a query's output of one head as a weighted mean, its largest parts first.
#pragma once

#include <vector>

#include "core/analysis/value_plane.h"

namespace headscope::ui {

struct ValueMix {
  WeightedMean mean;
  std::vector<float> weights;  // by key
  std::vector<Index> largest;  // keys of a weight other than 0, largest first; at most kMostParts
  Index others = 0;            // keys of such a weight that are not among them
  double otherWeight = 0.0;

  static constexpr Index kMostParts = 300;
};

ValueMix valueMix(const Trace& trace, const ValuePlane& plane, const RowRef& row);

}  // namespace headscope::ui
