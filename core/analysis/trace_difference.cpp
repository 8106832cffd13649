#include "core/analysis/trace_difference.h"

#include <algorithm>
#include <cmath>

namespace headscope {

bool comparable(const Trace& before, const Trace& after, TensorId tensor) {
  if (tensor == TensorId::memory &&
      before.config().crossAttention() != after.config().crossAttention()) {
    return false;
  }
  return shapeOf(tensor, before.config()) == shapeOf(tensor, after.config());
}

float difference(float before, float after) { return before == after ? 0.0F : after - before; }

LargestDifference largestDifference(const Trace& before, const Trace& after, TensorId tensor) {
  LargestDifference largest;
  const Shape shape = shapeOf(tensor, after.config());
  const TensorInfo& t = info(tensor);
  const Index items = t.perItem ? shape[0] : 1;
  const Index heads = t.perHead ? shape[1] : 1;
  const Index rows = t.rows == Axis::none ? 1 : shape[shape.size() - 2];
  const Index cols = shape.back();
  std::vector<float> a(static_cast<std::size_t>(cols));
  std::vector<float> b(a.size());
  for (Index item = 0; item < items; ++item) {
    for (Index head = 0; head < heads; ++head) {
      const Index i = t.perItem ? item : -1;
      const Index h = t.perHead ? head : -1;
      for (Index row = 0; row < rows; ++row) {
        before.tile(tensor, i, h, row, 1, 0, cols, a.data());
        after.tile(tensor, i, h, row, 1, 0, cols, b.data());
        for (std::size_t col = 0; col < a.size(); ++col) {
          const float change = std::abs(difference(a[col], b[col]));
          if (!(change > largest.value)) continue;
          largest = {change, {tensor, i, h, row, static_cast<Index>(col)}};
        }
      }
    }
  }
  return largest;
}

std::vector<OutputChange> outputChanges(const Trace& before, const Trace& after, Index item) {
  std::vector<OutputChange> changes;
  if (!comparable(before, after, TensorId::output)) return changes;
  const AttentionConfig& c = after.config();
  std::vector<float> a(static_cast<std::size_t>(c.dModel));
  std::vector<float> b(a.size());
  for (Index row = 0; row < c.seqLen; ++row) {
    before.tile(TensorId::output, item, -1, row, 1, 0, c.dModel, a.data());
    after.tile(TensorId::output, item, -1, row, 1, 0, c.dModel, b.data());
    OutputChange sum;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double x = a[i];
      const double y = b[i];
      sum.before += x * x;
      sum.after += y * y;
      sum.moved += (y - x) * (y - x);
    }
    changes.push_back({std::sqrt(sum.before), std::sqrt(sum.after), std::sqrt(sum.moved)});
  }
  return changes;
}

}  // namespace headscope
