// Difference source: what two passes differ by in a matrix, as a heatmap at the resolution shown.
#pragma once

#include "app/ui/matrix_view.h"

namespace headscope::ui {

/// The matrix of first − second at `rows` × `cols`: each difference as it is or, where several
/// fall together, the one of the largest magnitude; kMaskedCell where both are masked.
void fillDifference(const Trace& first, const Trace& second, const MatrixRef& ref, int rows,
                    int cols, float* out);

/// A source for the renderer, no finer than `pixels`. `salt` tells the second pass's heatmaps
/// apart.
gl::HeatmapSource differenceSource(const Trace& first, const Trace& second, MatrixRef ref,
                                   std::uint64_t salt, ImVec2 pixels);

}  // namespace headscope::ui
