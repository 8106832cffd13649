#include "core/model/pass_distance.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::model {
namespace {

std::string differ(const char* what, Index a, Index b) {
  return trFormat("one pass has {} {}, the other {}", a, what, b);
}

}  // namespace

std::string whyNotComparable(const ModelTrace& one, const ModelTrace& other) {
  const Index depth = one.config().depth(), others = other.config().depth();
  if (depth != others) return differ("layers", depth, others);
  const Index heads = one.config().heads;
  if (heads != other.config().heads)
    return differ(tr("heads per layer"), heads, other.config().heads);
  if (one.tokens() != other.tokens()) return differ("tokens", one.tokens(), other.tokens());
  return {};
}

std::string whyNotComparable(const ModelTrace& one, const ModelTrace& other, Index layer) {
  const std::string why = whyNotComparable(one, other);
  if (!why.empty() || !one.config().readsMemory(layer)) return why;
  if (!other.config().readsMemory(layer)) return tr("one pass reads a source, the other none");
  const Index keys = one.document().memory->tokens(), others = other.document().memory->tokens();
  return keys == others ? "" : differ(tr("tokens of the source"), keys, others);
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

std::optional<std::vector<std::optional<double>>> headDistances(const ModelTrace& one,
                                                                const ModelTrace& other,
                                                                const ExecutionContext& execution) {
  std::vector<std::optional<double>> distances;
  for (Index layer = 0; layer < one.layers(); ++layer) {
    if (!whyNotComparable(one, other, layer).empty()) {
      distances.resize(distances.size() + static_cast<std::size_t>(one.config().heads));
      continue;
    }
    const TracePtr a = one.layer(layer), b = other.layer(layer);
    for (Index head = 0; head < one.config().heads; ++head) {
      if (execution.stop()) return std::nullopt;
      distances.push_back(headDistance(*a, *b, head));
    }
  }
  return distances;
}

}  // namespace headscope::model
