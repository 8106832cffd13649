// Reduce: a matrix at fewer rows and columns, for a picture of it. Pure: no drawing. Large ones are
// shared out over threads; results do not depend on how many.
#pragma once

#include <functional>
#include <span>

#include "core/tensor.h"

namespace headscope::ui {

/// A matrix that is read row by row, from several threads at once; masked cells as
/// gl::kMaskedCell.
struct RowSource {
  Index rows = 0, cols = 0;
  std::function<void(Index row, std::span<float> cells)> read;
};

/// `rows` × `cols` values, row-major, no more than the source has: each as it is or, where several
/// fall together, the one of the largest magnitude; NaN where one of them is; gl::kMaskedCell where
/// all are masked.
void largestReduce(const RowSource& source, int rows, int cols, float* out);

/// The same by means: a cell on a border counts on both sides by its shares.
void meanReduce(const ConstMatrixView& matrix, int rows, int cols, float* out);

/// The largest magnitude of the finite values that are not masked; 0 where there is none.
float largestFinite(const RowSource& source);

}  // namespace headscope::ui
