#include "core/model/pass_distance.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "core/attention/config.h"
#include "core/document/trace.h"
#include "core/model/text_alignment.h"

namespace headscope::model {

std::optional<double> headDistance(const Trace& one, const Trace& other, Index head,
                                   const std::vector<Index>& rows, const std::vector<Index>& keys) {
  std::vector<float> own(static_cast<std::size_t>(one.config().keys()));
  std::vector<float> others(static_cast<std::size_t>(other.config().keys()));
  double sum = 0.0;
  Index counted = 0;
  for (Index row = 0; row < one.config().seqLen; ++row) {
    const Index partner = rows[static_cast<std::size_t>(row)];
    if (partner == kNoPartner) continue;
    one.tile(TensorId::weights, 0, head, row, 1, 0, std::ssize(own), own.data());
    other.tile(TensorId::weights, 0, head, partner, 1, 0, std::ssize(others), others.data());
    for (std::size_t key = 0; key < own.size(); ++key) {
      const Index place = keys[key];
      const double there =
          place == kNoPartner
              ? 0.0
              : double{std::exchange(others[static_cast<std::size_t>(place)], 0.0F)};
      sum += std::abs(double{own[key]} - there);
    }
    for (const float left : others) sum += std::abs(double{left});  // on keys without a partner
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  return 0.5 * sum / static_cast<double>(counted);
}

double headDistance(const Trace& one, const Trace& other, Index head) {
  std::vector<Index> rows(static_cast<std::size_t>(one.config().seqLen));
  std::vector<Index> keys(static_cast<std::size_t>(one.config().keys()));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::iota(keys.begin(), keys.end(), Index{0});
  return headDistance(one, other, head, rows, keys).value_or(0.0);
}

std::optional<std::vector<std::optional<double>>> headDistances(const ModelTrace& one,
                                                                const ModelTrace& other,
                                                                const PassPairs& pairs,
                                                                const ExecutionContext& execution) {
  const ModelConfig& c = one.config();
  std::vector<std::optional<double>> distances(static_cast<std::size_t>(c.layers * c.heads));
  for (Index layer = 0; layer < pairs.layers; ++layer) {
    const TracePtr a = one.layer(layer), b = other.layer(layer);
    for (Index head = 0; head < pairs.heads; ++head) {
      if (execution.stop()) return std::nullopt;
      distances[placeOf({layer, head}, c)] =
          headDistance(*a, *b, head, pairs.tokens, pairs.keysOf(c, layer));
    }
  }
  return distances;
}

}  // namespace headscope::model
