#include "core/model/pass_distance.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/config.h"
#include "core/document/trace.h"

namespace headscope::model {

std::string whyNotComparable(const ModelTrace& one, const ModelTrace& other) {
  const auto differ = [](const char* what, Index a, Index b) {
    return fmt::format("one pass has {} {}, the other {}", a, what, b);
  };
  if (one.layers() != other.layers()) return differ("layers", one.layers(), other.layers());
  const Index heads = one.config().heads;
  if (heads != other.config().heads) return differ("heads per layer", heads, other.config().heads);
  if (one.tokens() != other.tokens()) return differ("tokens", one.tokens(), other.tokens());
  return {};
}

std::optional<std::vector<double>> headDistances(const ModelTrace& one, const ModelTrace& other,
                                                 const ExecutionContext& execution) {
  std::vector<double> distances;
  for (Index layer = 0; layer < one.layers(); ++layer) {
    const TracePtr a = one.layer(layer), b = other.layer(layer);
    const Index tokens = a->config().seqLen, keys = a->config().keys();
    std::vector<float> rowOfA(static_cast<std::size_t>(keys)), rowOfB(rowOfA.size());
    for (Index head = 0; head < one.config().heads; ++head) {
      if (execution.stop()) return std::nullopt;
      double sum = 0.0;
      for (Index row = 0; row < tokens; ++row) {
        a->tile(TensorId::weights, 0, head, row, 1, 0, keys, rowOfA.data());
        b->tile(TensorId::weights, 0, head, row, 1, 0, keys, rowOfB.data());
        for (std::size_t key = 0; key < rowOfA.size(); ++key) {
          sum += std::abs(double{rowOfA[key]} - double{rowOfB[key]});
        }
      }
      distances.push_back(0.5 * sum / static_cast<double>(tokens));
    }
  }
  return distances;
}

}  // namespace headscope::model
