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

double headDistance(const Trace& one, const Trace& other, Index head) {
  const Index tokens = one.config().seqLen, keys = one.config().keys();
  std::vector<float> rowOfOne(static_cast<std::size_t>(keys)), rowOfOther(rowOfOne.size());
  double sum = 0.0;
  for (Index row = 0; row < tokens; ++row) {
    one.tile(TensorId::weights, 0, head, row, 1, 0, keys, rowOfOne.data());
    other.tile(TensorId::weights, 0, head, row, 1, 0, keys, rowOfOther.data());
    for (std::size_t key = 0; key < rowOfOne.size(); ++key) {
      sum += std::abs(double{rowOfOne[key]} - double{rowOfOther[key]});
    }
  }
  return 0.5 * sum / static_cast<double>(tokens);
}

std::optional<std::vector<double>> headDistances(const ModelTrace& one, const ModelTrace& other,
                                                 const ExecutionContext& execution) {
  std::vector<double> distances;
  for (Index layer = 0; layer < one.layers(); ++layer) {
    const TracePtr a = one.layer(layer), b = other.layer(layer);
    for (Index head = 0; head < one.config().heads; ++head) {
      if (execution.stop()) return std::nullopt;
      distances.push_back(headDistance(*a, *b, head));
    }
  }
  return distances;
}

}  // namespace headscope::model
