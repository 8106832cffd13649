#include "core/analysis/patch_measures.h"

#include <cmath>
#include <cstdlib>
#include <variant>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope {
namespace {

/// The sums over the rows of one head.
struct Sums {
  double distance = 0.0, local = 0.0, sameRow = 0.0, sameColumn = 0.0;
  Index rows = 0, looking = 0;  // rows of patches, and those with weight on patches

  /// `weights`: those of patch `at` on the patches.
  void add(const float* weights, Index at, const PatchGrid& grid) {
    const Index row = at / grid.columns, column = at % grid.columns;
    double far = 0.0, total = 0.0;
    for (Index key = 0; key < grid.rows * grid.columns; ++key) {
      const double weight = weights[key];
      const Index down = std::abs(key / grid.columns - row);
      const Index across = std::abs(key % grid.columns - column);
      far += weight * std::hypot(static_cast<double>(down), static_cast<double>(across));
      total += weight;
      if (key == at) continue;
      if (down <= 1 && across <= 1) local += weight;
      if (down == 0) sameRow += weight;
      if (across == 0) sameColumn += weight;
    }
    ++rows;
    if (total <= 0.0) return;
    distance += far / total;
    ++looking;
  }

  PatchMeasures means() const {
    const auto share = [this](double sum) {
      return MetricValue{sum / static_cast<double>(rows), {}};
    };
    PatchMeasures found{{}, share(local), share(sameRow), share(sameColumn)};
    found.distance = looking == 0 ? MetricValue::undefined("the head puts no weight on patches")
                                  : MetricValue{distance / static_cast<double>(looking), {}};
    return found;
  }
};

}  // namespace

std::vector<PatchMeasures> patchMeasures(const Trace& trace, const ExecutionContext& execution) {
  const auto* source = std::get_if<TensorSource>(trace.document().source.get());
  if (source == nullptr || !source->patches.on()) return {};
  const PatchGrid grid = source->patches;
  const Index patches = grid.rows * grid.columns;
  std::vector<Sums> sums(static_cast<std::size_t>(trace.config().numHeads));
  parallelFor(trace.config().numHeads, execution, [&](Index head) {
    std::vector<float> weights(static_cast<std::size_t>(patches));
    for (Index at = 0; at < patches; ++at) {
      trace.tile(TensorId::weights, 0, head, grid.first + at, 1, grid.first, patches,
                 weights.data());
      sums[static_cast<std::size_t>(head)].add(weights.data(), at, grid);
    }
  });
  if (execution.stop()) return {};
  std::vector<PatchMeasures> found;
  for (const Sums& each : sums) found.push_back(each.means());
  return found;
}

}  // namespace headscope
