#include "app/ui/matrix_view.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope::ui {

void fillHeatmap(const RowSource& source, bool transposed, int rows, int cols, float* out) {
  reduceAsShown(source, transposed, rows, cols, Reduction::largest, out);
}

std::uint64_t keyOf(const MatrixRef& ref) { return ref.place().value(); }

SourceSize sourceSize(const MatrixRef& ref, ImVec2 pixels) {
  const auto resolution = [](Index cells, float length) {
    const auto most = std::clamp(static_cast<int>(length), 1, 2048);
    return static_cast<int>(std::min<Index>(cells, most));
  };
  return {resolution(ref.shownRows(), pixels.y), resolution(ref.shownCols(), pixels.x)};
}

gl::HeatmapSource heatmapSource(const Trace& trace, const MatrixRef& ref, ImVec2 pixels) {
  gl::HeatmapSource source;
  const SourceSize size = sourceSize(ref, pixels);
  source.rows = size.rows;
  source.cols = size.cols;
  source.key = keyOf(ref);
  source.revision = revisionOf(trace, ref);
  source.fill = [&trace, ref, rows = source.rows, cols = source.cols](float* out) {
    fillHeatmap(rowsOf(trace, ref), ref.transposed, rows, cols, out);
  };
  return source;
}

void addSource(gl::HeatmapBatch& batch, const Look& look, gl::HeatmapSource source,
               const ColorScale& scale, ImVec2 a, ImVec2 b) {
  gl::HeatmapQuad quad;
  quad.rect = {a.x, a.y, b.x, b.y};
  quad.source = batch.sources.size();
  quad.low = scale.low;
  quad.high = scale.high;
  quad.colorMap = scale.map;
  quad.gap = look.px(1);
  batch.sources.push_back(std::move(source));
  batch.quads.push_back(quad);
}

void addMatrix(gl::HeatmapBatch& batch, const Look& look, const Trace& trace, const MatrixRef& ref,
               const ColorScale& scale, ImVec2 a, ImVec2 b) {
  const float pixels = look.scene.pixelsPerPoint;
  const ImVec2 size((b.x - a.x) * pixels, (b.y - a.y) * pixels);
  addSource(batch, look, heatmapSource(trace, ref, size), scale, a, b);
}

int cellDecimals(float magnitude) { return magnitude >= 100.0F ? 0 : magnitude >= 10.0F ? 1 : 2; }

}  // namespace headscope::ui
