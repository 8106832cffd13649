#include "core/analysis/trace_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/config.h"
#include "core/document/trace.h"

namespace headscope {

bool comparable(const Trace& before, const Trace& after, TensorId tensor) {
  return has(before.config(), tensor) == has(after.config(), tensor) &&
         shapeOf(tensor, before.config()) == shapeOf(tensor, after.config());
}

namespace {

float orZero(float magnitude) {
  return magnitude <= std::numeric_limits<float>::max() ? magnitude : 0.0F;
}

}  // namespace

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
    float most = 0.0F;
    for (std::size_t col = 0; col < a.size(); ++col) {  // without branches: over millions of cells
      const float change = std::abs(difference(a[col], b[col]));
      found.changed += static_cast<Index>(change > 0.0F);
      most = std::max(most, change);
      found.largestFinite = std::max(found.largestFinite, orZero(change));
      found.magnitude =
          std::max(found.magnitude, std::max(orZero(std::abs(a[col])), orZero(std::abs(b[col]))));
    }
    if (most <= found.largest) continue;
    const auto differsMost = [&](float x, float y) { return std::abs(difference(x, y)) == most; };
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(),
                                  [&](float x, float y) { return !differsMost(x, y); });
    found.largest = most;
    found.where = {tensor, item, head, row, at.first - a.begin()};
  }
  return found;
}

MatrixDifference tensorDifference(const Trace& before, const Trace& after, TensorId tensor,
                                  const std::atomic<bool>* cancelled) {
  const Shape shape = shapeOf(tensor, after.config());
  const TensorInfo& t = info(tensor);
  MatrixDifference all;
  for (Index item = t.perItem ? 0 : -1; item < (t.perItem ? shape[0] : 0); ++item) {
    for (Index head = t.perHead ? 0 : -1; head < (t.perHead ? shape[1] : 0); ++head) {
      if (cancelled != nullptr && *cancelled) return all;
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
