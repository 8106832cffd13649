// Patch measures: how far and where on an image's grid of patches each head looks. Each is a mean
// over the rows of patches; where a head puts no weight on patches, it is not defined.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/analysis/metric_value.h"
#include "core/base/execution.h"
#include "core/document/fwd.h"

namespace headscope {

struct PatchMeasures {
  /// How many patches away a row looks, by its weights on patches: √(rows² + columns²) (mean
  /// attention distance: Dosovitskiy et al. 2021).
  MetricValue distance;
  MetricValue local;       // the weight on the eight patches around a patch
  MetricValue sameRow;     // the weight on other patches of its row
  MetricValue sameColumn;  // the weight on other patches of its column
};

/// A measure's key in JSON, its title and its words.
struct PatchMeasureInfo {
  std::string_view key, title, words;
  MetricValue PatchMeasures::*value;
};
inline constexpr std::array<PatchMeasureInfo, 4> kPatchMeasures{{
    {"patch_distance", "distance", "how many patches away a row looks, by weight",
     &PatchMeasures::distance},
    {"patch_local", "neighbours", "the weight on the eight patches around", &PatchMeasures::local},
    {"same_row", "same row", "the weight on other patches of the row", &PatchMeasures::sameRow},
    {"same_column", "same column", "the weight on other patches of the column",
     &PatchMeasures::sameColumn},
}};

/// The measures of every head of a pass over an image's tokens; empty where the tokens are no
/// patches, and where cancelled.
std::vector<PatchMeasures> patchMeasures(const Trace& trace,
                                         const ExecutionContext& execution = {});

}  // namespace headscope
