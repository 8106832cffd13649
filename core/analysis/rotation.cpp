#include "core/analysis/rotation.h"

#include "core/attention/config.h"
#include "core/attention/rotary.h"
#include "core/attention/steps/step.h"
#include "core/document/trace.h"

namespace headscope {

std::vector<RotaryPair> rotaryPairs(const Trace& trace, const RowRef& row, Index key) {
  const AttentionConfig& c = trace.config();
  const Step& rotate = step(StepId::rotate);
  const auto values = [&](TensorId rotated, Index head, Index at) {
    std::vector<float> cells(static_cast<std::size_t>(c.dK()));
    trace.tile(rotate.operands(rotated, c).front(), row.item, head, at, 1, 0, c.dK(), cells.data());
    return cells;
  };
  const std::vector<float> q = values(TensorId::qRot, row.head, row.query);
  const std::vector<float> k = values(TensorId::kRot, c.kvHead(row.head), key);
  std::vector<RotaryPair> pairs;
  const std::size_t half = q.size() / 2;
  for (const double frequency : rotaryFrequencies(c.rotary, c.dK())) {
    const std::size_t j = pairs.size();
    pairs.push_back({frequency,
                     {static_cast<double>(q[j]), static_cast<double>(q[j + half])},
                     {static_cast<double>(k[j]), static_cast<double>(k[j + half])}});
  }
  return pairs;
}

Hand handAt(const Hand& hand, double frequency, Index position) {
  const Turn turn = rotationAt(frequency, position);
  return {hand[0] * turn.cosine - hand[1] * turn.sine, hand[1] * turn.cosine + hand[0] * turn.sine};
}

double rotatedProduct(std::span<const RotaryPair> pairs, Index queryPosition, Index keyPosition) {
  double sum = 0.0;
  for (const RotaryPair& pair : pairs) {
    const Hand q = handAt(pair.query, pair.frequency, queryPosition);
    const Hand k = handAt(pair.key, pair.frequency, keyPosition);
    sum += q[0] * k[0] + q[1] * k[1];
  }
  return sum;
}

}  // namespace headscope
