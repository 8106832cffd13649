#include "app/ui/matrix_view.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

constexpr int kFinest = 2048;  // cells along a side, more than any panel shows

std::uint64_t combine(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ (value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2))) *
         0xFF51AFD7ED558CCDULL;
}

/// Marks what of a row the mask hides, but for what is pinned there.
void hideMasked(const Trace& trace, const MatrixRef& ref, Index row, std::span<float> cells) {
  const AttentionConfig& c = trace.config();
  const AllowedKeys allowed = allowedKeys(c.mask, ref.item, row, c.keys());
  const auto at = [&](Index key) {
    return cells.begin() + std::clamp<Index>(key - ref.col0, 0, ref.cols);
  };
  std::fill(cells.begin(), at(allowed.begin), gl::kMaskedCell);
  std::fill(at(allowed.end), cells.end(), gl::kMaskedCell);
  if (allowed.painted != nullptr) {
    std::transform(
        cells.begin(), cells.end(), allowed.painted + ref.col0, cells.begin(),
        [](float value, std::uint8_t allows) { return allows != 0 ? value : gl::kMaskedCell; });
  }
  for (const Pin& pin : trace.document().pins.of(ref.tensor, ref.item, ref.head, row)) {
    const Index col = pin.cell.col - ref.col0;
    if (col < 0 || col >= ref.cols) continue;
    cells[static_cast<std::size_t>(col)] = ref.maskOnly ? 0.0F : trace.value(pin.cell);
  }
}

}  // namespace

CellRef MatrixRef::cell(Index row, Index col) const {
  if (transposed) std::swap(row, col);
  return {tensor, item, head, row0 + row, col0 + col};
}

bool MatrixRef::find(const CellRef& cell, Index* row, Index* col) const {
  if (maskOnly || cell.tensor != tensor || cell.item != item || cell.head != head) return false;
  *row = cell.row - row0;
  *col = cell.col - col0;
  if (*row < 0 || *row >= rows || *col < 0 || *col >= cols) return false;
  if (transposed) std::swap(*row, *col);
  return true;
}

MatrixRef wholeMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head) {
  const TensorInfo& t = info(tensor);
  const Shape shape = shapeOf(tensor, config);
  MatrixRef ref;
  ref.tensor = tensor;
  ref.item = t.perItem ? item : -1;
  ref.head = t.perHead ? (t.kvHeads ? config.kvHead(head) : head) : -1;
  ref.rows = t.rows == Axis::none ? 1 : shape[shape.size() - 2];
  ref.cols = shape.back();
  return ref;
}

bool showsMasked(TensorId tensor, const AttentionConfig& config) {
  return (tensor == TensorId::maskedScores || tensor == TensorId::weights) &&
         !config.mistakes.zeroForMasked;
}

bool isHidden(const Trace& trace, const CellRef& cell) {
  const AttentionConfig& c = trace.config();
  return showsMasked(cell.tensor, c) &&
         !allowedKeys(c.mask, cell.item, cell.row, c.keys())(cell.col) &&
         !trace.document().pins.at(cell);
}

RowSource rowsOf(const Trace& trace, const MatrixRef& ref) {
  const auto read = [&trace, ref](Index r, std::span<float> cells) {
    const Index row = ref.row0 + r;
    if (ref.maskOnly) {
      std::fill(cells.begin(), cells.end(), 0.0F);
    } else {
      trace.tile(ref.tensor, ref.item, ref.head, row, 1, ref.col0, ref.cols, cells.data());
    }
    if (ref.maskOnly || showsMasked(ref.tensor, trace.config())) {
      hideMasked(trace, ref, row, cells);
    }
  };
  return {ref.rows, ref.cols, read};
}

void fillHeatmap(const RowSource& source, bool transposed, int rows, int cols, float* out) {
  if (!transposed) {
    largestReduce(source, rows, cols, out);
    return;
  }
  std::vector<float> turned(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  largestReduce(source, cols, rows, turned.data());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      *out++ = turned[static_cast<std::size_t>(c) * static_cast<std::size_t>(rows) +
                      static_cast<std::size_t>(r)];
    }
  }
}

std::uint64_t keyOf(const MatrixRef& ref) {
  std::uint64_t key = ref.salt;
  for (const Index part :
       {static_cast<Index>(ref.tensor), ref.item, ref.head, ref.row0, ref.rows, ref.col0, ref.cols,
        static_cast<Index>(ref.transposed), static_cast<Index>(ref.maskOnly)}) {
    key = combine(key, static_cast<std::uint64_t>(part));
  }
  return key;
}

std::uint64_t revisionOf(const Trace& trace, const MatrixRef& ref) {
  return trace.revision(ref.maskOnly ? TensorId::maskedScores : ref.tensor);
}

SourceSize sourceSize(const MatrixRef& ref, ImVec2 pixels) {
  const auto resolution = [](Index cells, float length) {
    // never more cells than pixels: one that falls between two would be mixed with its neighbour
    const auto most = std::clamp(static_cast<int>(length), 1, kFinest);
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

float Magnitudes::of(const Trace& trace, TensorId tensor, Index item, Index head) {
  Known& known = known_[{tensor, item, head}];
  const std::uint64_t revision = trace.revision(tensor);
  if (known.revision == revision) return known.value;
  const AttentionConfig& c = trace.config();
  float largest = 0.0F;
  const TensorInfo& t = info(tensor);
  const bool every = t.perHead && head < 0;
  const Index heads = t.kvHeads ? c.numKvHeads : c.numHeads;
  for (Index h = every ? 0 : head; h < (every ? heads : head + 1); ++h) {
    MatrixRef ref = wholeMatrix(tensor, c, item, 0);
    ref.head = t.perHead ? h : -1;
    largest = std::max(largest, largestFinite(rowsOf(trace, ref)));
  }
  known = {revision, largest};
  return largest;
}

ImU32 ColorScale::color(const ColorMaps& maps, float value) const {
  return maps[map].at((value - low) / (high - low));
}

ColorScale colorScale(const Look& look, const ViewState& view, TensorId tensor, float magnitude) {
  ColorScale scale;
  scale.diverging = tensor != TensorId::weights;
  if (scale.diverging) {
    const float reach = magnitude > 0.0F ? magnitude : 1.0F;
    scale.low = -reach;
    scale.high = reach;
    scale.allZero = magnitude == 0.0F;
    scale.map = ColorMaps::diverging(view.colorMaps, look.theme.kind);
  } else {
    scale.low = 0.0F;
    scale.high = 1.0F;
    scale.map = ColorMaps::sequential(view.colorMaps, look.theme.kind);
  }
  return scale;
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
