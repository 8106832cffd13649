// Value plane: a head's value vectors seen in the plane of their two main components, with a
// query's output among them as their weighted mean; and q·k as lengths and an angle.
//
// The main components are those of all M values of the head; coordinates are in the units of v.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/sharpness.h"
#include "core/base/execution.h"
#include "core/base/index.h"
#include "core/document/fwd.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Main components: the two directions of greatest variance of n rows of `width` numbers (principal
/// component analysis, Pearson 1901). No Gram matrix is formed: the rows are only multiplied by
/// vectors.
struct MainComponents {
  std::vector<double> mean;                 // of the rows, width
  std::array<std::vector<double>, 2> axes;  // unit vectors, the greatest variance first; 0 for none
  std::array<double, 2> varianceShare{};    // of all variance, along the axes
};

/// The sign of each axis makes its largest component (the first on a tie) positive. Cancellation is
/// checked between products; returns nothing then.
std::optional<MainComponents> mainComponents(const ConstMatrixView& rows,
                                             const ExecutionContext& execution = {});

struct PlanePoint {
  double x = 0.0, y = 0.0;
};

struct ValuePlane {
  std::vector<PlanePoint> values;           // one per key
  std::array<double, 2> varianceShare{};    // of all variance, along x and y; 0 where there is none
  std::vector<double> mean;                 // of the values, d_k: what lies at (0, 0)
  std::array<std::vector<double>, 2> axes;  // unit vectors, d_k; 0 where nothing varies

  /// Projects a vector of d_k numbers onto the plane.
  PlanePoint project(std::span<const float> vector) const;
};

/// Computes the plane of the main components of a head's values. Nothing where cancelled.
std::optional<ValuePlane> valuePlane(const Trace& trace, Index item, Index head,
                                     const ExecutionContext& execution = {});

/// A query's output of one head, before its gain: Σ_j A_ij v_j.
struct WeightedMean {
  PlanePoint point;
  double weightSum = 0.0;  // Σ_j A_ij: 1, but for dropout, pins, mistakes and fully masked rows
  PlanePoint headOutput;   // row i of `heads`: with gain and pins
};
/// Computes the weighted mean of one query, and the position of its head output on the plane.
WeightedMean weightedMean(const Trace& trace, const ValuePlane& plane, const RowRef& row);

/// q·k = ‖q‖ ‖k‖ cos(q, k).
struct QueryKeyProduct {
  double queryLength = 0.0;
  double keyLength = 0.0;
  std::optional<double> cosine;  // none where either has no length
  double product = 0.0;

  std::optional<double> degrees() const;  // 0 … 180
};
/// Computes the product of one query and one key of a head, in double.
QueryKeyProduct queryKeyProduct(const Trace& trace, const RowRef& row, Index key);

}  // namespace headscope
