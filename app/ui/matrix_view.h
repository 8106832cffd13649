// Matrix view: what is still drawn through the old functions; parts/matrix.h takes their place.
#pragma once

#include "app/ui/parts/matrix.h"
#include "app/ui/reduce.h"

namespace headscope::ui {

inline RowSource rowsOf(const Trace& trace, const MatrixRef& ref) { return cellsOf(trace, ref); }
void fillHeatmap(const RowSource& source, bool transposed, int rows, int cols, float* out);
std::uint64_t keyOf(const MatrixRef& ref);
struct SourceSize {
  int rows = 0, cols = 0;
};
SourceSize sourceSize(const MatrixRef& ref, ImVec2 pixels);
gl::HeatmapSource heatmapSource(const Trace& trace, const MatrixRef& ref, ImVec2 pixels);
void addSource(gl::HeatmapBatch& batch, const Look& look, gl::HeatmapSource source,
               const ColorScale& scale, ImVec2 a, ImVec2 b);
void addMatrix(gl::HeatmapBatch& batch, const Look& look, const Trace& trace, const MatrixRef& ref,
               const ColorScale& scale, ImVec2 a, ImVec2 b);
int cellDecimals(float magnitude);

}  // namespace headscope::ui
