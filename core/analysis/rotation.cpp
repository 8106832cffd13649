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
  for (const double frequency : rotaryFrequencies(c.rotary, c.dK())) {
    const RotatedPair at = coordinatesOf(std::ssize(pairs), c.rotary, c.dK());
    const auto hand = [&](const std::vector<float>& row) {
      const auto part = [&](Index j) {
        return c.rotary.amplitude * static_cast<double>(row[static_cast<std::size_t>(j)]);
      };
      return Hand{part(at.first), part(at.second)};
    };
    pairs.push_back({frequency, at, hand(q), hand(k)});
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
