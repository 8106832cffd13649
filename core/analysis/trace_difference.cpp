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

MatrixDifference matrixDifference(const Trace& before, const Trace& after, TensorId tensor,
                                  Index item, Index head) {
  const Shape shape = shapeOf(tensor, after.config());
  const Index rows = info(tensor).rows == Axis::none ? 1 : shape[shape.size() - 2];
  const Index cols = shape.back();
  MatrixDifference found;
  found.cells = rows * cols;
  std::vector<float> a(static_cast<std::size_t>(cols));
  std::vector<float> b(a.size());
  for (Index row = 0; row < rows; ++row) {
    before.tile(tensor, item, head, row, 1, 0, cols, a.data());
    after.tile(tensor, item, head, row, 1, 0, cols, b.data());
    for (std::size_t col = 0; col < a.size(); ++col) {
      for (const float value : {a[col], b[col]}) {
        if (std::isfinite(value)) found.magnitude = std::max(found.magnitude, std::abs(value));
      }
      const float change = std::abs(difference(a[col], b[col]));
      if (change == 0.0F) continue;
      ++found.changed;
      if (std::isfinite(change)) found.largestFinite = std::max(found.largestFinite, change);
      if (change <= found.largest) continue;
      found.largest = change;
      found.where = {tensor, item, head, row, static_cast<Index>(col)};
    }
  }
  return found;
}

MatrixDifference tensorDifference(const Trace& before, const Trace& after, TensorId tensor) {
  const Shape shape = shapeOf(tensor, after.config());
  const TensorInfo& t = info(tensor);
  MatrixDifference all;
  for (Index item = t.perItem ? 0 : -1; item < (t.perItem ? shape[0] : 0); ++item) {
    for (Index head = t.perHead ? 0 : -1; head < (t.perHead ? shape[1] : 0); ++head) {
      const MatrixDifference one = matrixDifference(before, after, tensor, item, head);
      if (one.largest > all.largest) {
        all.largest = one.largest;
        all.where = one.where;
      }
      all.largestFinite = std::max(all.largestFinite, one.largestFinite);
      all.magnitude = std::max(all.magnitude, one.magnitude);
      all.changed += one.changed;
      all.cells += one.cells;
    }
  }
  return all;
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
