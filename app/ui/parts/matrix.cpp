#include "app/ui/parts/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"
#include "core/analysis/rows.h"
#include "core/attention/config.h"
#include "core/attention/gradients.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr int kFinestHeatmap = 2048;  // the most cells along a side; no panel shows more

/// The number of cells of a heatmap along `points`, at most one per pixel: a cell between two
/// pixels would blend with its neighbour.
int resolution(Index cells, float points, const FrameContext& look) {
  const float pixels = points * look.scene.pixelsPerPoint;
  const int most = std::clamp(static_cast<int>(pixels), 1, kFinestHeatmap);
  return static_cast<int>(std::min<Index>(cells, most));
}

int decimalsFor(float magnitude) { return magnitude >= 100.0F ? 0 : magnitude >= 10.0F ? 1 : 2; }

float lineOf(const FrameContext& look, const ImFont* font) {
  return fontSize(font) + 2.0F * look.space.hair;
}

/// The format of the numbers of a matrix.
struct NumberForm {
  int decimals = 2;
  bool startsAtPoint = false;  // ".93": for shares, two places say more than "0.9"

  std::string text(float value) const {
    std::string digits = cellNumber(value, decimals);
    if (startsAtPoint && digits.starts_with("0.")) digits.erase(0, 1);
    if (startsAtPoint && digits.starts_with("1.")) digits.pop_back();
    return digits;
  }
};

/// The room that the numbers of a matrix need along their line.
class NumberRoom {
 public:
  NumberRoom(const FrameContext& look, ImFont* font, const ColorScale& scale, Index rows,
             Index cols, const CellNumbers& numbers)
      : look_(look), font_(font), high_(scale.high) {
    for (Index row = 0; row < rows && !negative_; ++row) {
      for (Index col = 0; col < cols && !negative_; ++col) {
        const float value = numbers.value(row, col);
        negative_ = value < 0.0F && value > gl::kMaskedCell;
      }
    }
    most_.decimals = numbers.whole ? 0 : numbers.decimals;
    if (most_.decimals < 0) most_.decimals = scale.diverging ? decimalsFor(scale.high) : 2;
    fewest_ = most_;
    const bool shares = !scale.diverging && !negative_ && scale.high <= 1.0F;
    if (shares && most_.decimals == 2) {
      fewest_.startsAtPoint = true;
    } else if (most_.decimals > 1 && scale.high >= 1.0F) {
      --fewest_.decimals;
    }
  }

  float least() const { return width(fewest_); }
  /// Returns the format with the most decimals that fits; none where no number fits.
  std::optional<NumberForm> formIn(float points) const {
    constexpr float kRounding = 0.01F;  // the width of a cell is a difference of places
    if (width(most_) <= points + kRounding) return most_;
    if (width(fewest_) <= points + kRounding) return fewest_;
    return std::nullopt;
  }

 private:
  float width(const NumberForm& form) const {
    return textSize(font_, form.text(negative_ ? -high_ : high_)).x + 3.0F * look_.space.hair;
  }

  const FrameContext& look_;
  ImFont* font_;
  NumberForm most_, fewest_;
  float high_;
  bool negative_ = false;
};

}  // namespace

// The place of a matrix.

Rect MatrixPlace::cellAt(Index row, Index col) const {
  return block(static_cast<double>(row), 1, static_cast<double>(col), 1);
}

Rect MatrixPlace::block(double row, double down, double col, double across, float least) const {
  const ImVec2 one = cell();
  const auto band = [least](float from, float length) {
    const float grow = std::max(0.0F, least - length) * 0.5F;
    return ImVec2(from - grow, from + length + grow);
  };
  const ImVec2 x =
      band(at.a.x + static_cast<float>(col) * one.x, static_cast<float>(across) * one.x);
  const ImVec2 y = band(at.a.y + static_cast<float>(row) * one.y, static_cast<float>(down) * one.y);
  return {{x.x, y.x}, {x.y, y.y}};
}

MatrixCell MatrixPlace::nearest(ImVec2 point) const {
  const ImVec2 one = cell();
  const auto place = [](float offset, float length, Index count) {
    return std::clamp<Index>(static_cast<Index>(offset / length), 0, count - 1);
  };
  return {place(point.y - at.a.y, one.y, rows), place(point.x - at.a.x, one.x, cols)};
}

std::optional<MatrixCell> MatrixPlace::hovered() const {
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(at.a, at.b)) return std::nullopt;
  return nearest(ImGui::GetIO().MousePos);
}

// The contents of a matrix.

Fingerprint MatrixRef::place() const {
  return Fingerprint("trace", salt, tensor, item, head, row0, rows, col0, cols, transposed,
                     maskOnly, gradient);
}

CellRef MatrixRef::cell(Index row, Index col) const {
  if (transposed) std::swap(row, col);
  return {tensor, item, head, row0 + row, col0 + col, -1, gradient};
}

std::optional<MatrixCell> MatrixRef::find(const CellRef& cell) const {
  if (maskOnly || cell.tensor != tensor || cell.item != item || cell.head != head ||
      cell.gradient != gradient) {
    return std::nullopt;
  }
  MatrixCell found{cell.row - row0, cell.col - col0};
  if (found.row < 0 || found.row >= rows || found.col < 0 || found.col >= cols) return std::nullopt;
  if (transposed) std::swap(found.row, found.col);
  return found;
}

MatrixRef wholeMatrix(TensorId tensor, const AttentionConfig& config, Index item, Index head) {
  const TensorInfo& t = info(tensor);
  const Shape shape = shapeOf(tensor, config);
  MatrixRef ref;
  ref.tensor = tensor;
  ref.item = t.perItem ? item : -1;
  ref.head = t.perHead ? headIn(tensor, head, config) : -1;
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
  return showsMasked(cell.tensor, c) && !cell.gradient &&
         !allowedKeys(c.mask, cell.item, cell.row, c.keys())(cell.col) && !trace.pins().at(cell);
}

void hideMasked(const Trace& trace, Index item, Index row, Index col0, std::span<float> cells) {
  const AttentionConfig& c = trace.config();
  const AllowedKeys allowed = allowedKeys(c.mask, item, row, c.keys());
  const auto at = [&](Index key) {
    return cells.begin() + std::clamp<Index>(key - col0, 0, std::ssize(cells));
  };
  std::fill(cells.begin(), at(allowed.begin), gl::kMaskedCell);
  std::fill(at(allowed.end), cells.end(), gl::kMaskedCell);
  if (allowed.painted == nullptr) return;
  std::transform(
      cells.begin(), cells.end(), allowed.painted + col0, cells.begin(),
      [](float value, std::uint8_t allows) { return allows != 0 ? value : gl::kMaskedCell; });
}

CellRows cellsOf(const Trace& trace, const MatrixRef& ref) {
  const auto read = [&trace, ref](Index r, std::span<float> cells) {
    const Index row = ref.row0 + r;
    const bool masked = !ref.gradient && (ref.maskOnly || showsMasked(ref.tensor, trace.config()));
    Index begin = ref.col0, end = ref.col0 + ref.cols;  // hidden cells are not read
    if (masked) {
      const AttentionConfig& c = trace.config();
      const AllowedKeys allowed = allowedKeys(c.mask, ref.item, row, c.keys());
      begin = std::clamp(allowed.begin, begin, end);
      end = std::clamp(allowed.end, begin, end);
    }
    float* out = cells.data() + (begin - ref.col0);
    if (ref.maskOnly) {
      std::fill_n(out, end - begin, 0.0F);
    } else if (begin < end) {
      trace.side(ref.gradient)
          .tile(ref.tensor, ref.item, ref.head, row, 1, begin, end - begin, out);
    }
    if (!masked) return;
    hideMasked(trace, ref.item, row, ref.col0, cells);
    // pinned cells are shown even where the mask forbids them
    for (const Pin& pin : trace.pins().of(ref.tensor, ref.item, ref.head, row)) {
      const Index col = pin.cell.col - ref.col0;
      if (col < 0 || col >= ref.cols) continue;
      cells[static_cast<std::size_t>(col)] = ref.maskOnly ? 0.0F : trace.value(pin.cell);
    }
  };
  return {ref.rows, ref.cols, read};
}

/// Returns whether the part is too large to be computed again for a picture.
static bool isShownSmall(const Trace& trace, const MatrixRef& ref) {
  constexpr Index kAtOnce = Index{1} << 18;  // cells
  const TensorId from = isComputedOnDemand(ref.tensor) ? TensorId::rawScores : ref.tensor;
  return !trace.holds(from) && !ref.gradient && !ref.maskOnly && ref.rows * ref.cols > kAtOnce;
}

std::optional<CellRows> cellsToShow(const Trace& trace, const MatrixRef& ref) {
  if (!isShownSmall(trace, ref)) return cellsOf(trace, ref);
  const SmallScores* small = trace.smallScores();
  const SmallScores::Head* head = small != nullptr ? small->of(ref.item, ref.head) : nullptr;
  if (head == nullptr) return std::nullopt;
  const AttentionConfig& c = trace.config();
  const Index row0 = ref.row0 * small->rows / c.seqLen, col0 = ref.col0 * small->cols / c.keys();
  const Index rows = std::max<Index>(1, ref.rows * small->rows / c.seqLen);
  const Index cols = std::max<Index>(1, ref.cols * small->cols / c.keys());
  const std::span<const float> cells = head->cells[SmallScores::place(ref.tensor)];
  return CellRows{
      rows, cols, [cells, row0, col0, width = small->cols](Index row, std::span<float> out) {
        std::copy_n(cells.begin() + (row0 + row) * width + col0, out.size(), out.begin());
      }};
}

std::uint64_t revisionOf(const Trace& trace, const MatrixRef& ref) {
  if (ref.gradient) return trace.pass();  // any operand may have changed it
  return trace.revision(ref.maskOnly ? TensorId::maskedScores : ref.tensor);
}

// The colours of values.

ImU32 ColorScale::color(const ColorMaps& maps, float value) const {
  return maps[map].at((value - low) / (high - low));
}

std::string ColorScale::inWords() const {
  if (allZero) return "all 0";
  return diverging ? "±" + number(high, 3) : trFormat("{} to {}", number(low, 3), number(high, 3));
}

ColorScale divergingScale(const FrameContext& look, float magnitude) {
  const float reach = magnitude > 0.0F ? magnitude : 1.0F;
  return {-reach, reach, ColorMaps::diverging(look.mapPair, look.theme.kind), true,
          magnitude == 0.0F};
}

ColorScale sequentialScale(const FrameContext& look, float low, float high) {
  return {low, high, ColorMaps::sequential(look.mapPair, look.theme.kind), false, false};
}

ColorScale weightScale(const FrameContext& look, const WeightRange& range) {
  return range.low < 0.0F ? divergingScale(look, range.magnitude())
                          : sequentialScale(look, 0.0F, range.high);
}

WeightRange weightRange(const Trace& trace, Index item, Index head) {
  return weightRange(trace.config(), trace.pins(), item, head);
}

ColorScale colorScale(const FrameContext& look, const Trace& trace, const MatrixRef& ref,
                      float magnitude) {
  if (ref.tensor == TensorId::weights && !ref.gradient) {
    return weightScale(look, weightRange(trace, ref.item, ref.head));
  }
  const auto pins = trace.pins().of(TensorId::gate);
  const bool negative = std::ranges::any_of(pins, [](const Pin& pin) { return pin.value < 0.0F; });
  if (ref.tensor == TensorId::gate && !ref.gradient && !negative) {
    return sequentialScale(look, 0.0F, std::max(1.0F, magnitude));
  }
  return divergingScale(look, magnitude);
}

/// Bounds a cache: more values than any page shows at once are those of earlier documents.
template <typename Cache>
static void forgetIfMany(Cache& cache) {
  constexpr std::size_t kMost = 16384;
  if (cache.size() >= kMost) cache.clear();
}

float Magnitudes::of(const Trace& trace, TensorId tensor, Index item, Index head, bool gradient) {
  forgetIfMany(known_);
  Known& known = known_[{tensor, item, head, gradient}];
  const std::uint64_t revision = gradient ? trace.pass() : trace.revision(tensor);
  if (known.revision == revision) return known.value;
  const AttentionConfig& c = trace.config();
  float largest = 0.0F;
  const TensorInfo& t = info(tensor);
  const bool every = t.perHead && head < 0;
  const Index heads = headCount(tensor, c);
  for (Index h = every ? 0 : head; h < (every ? heads : head + 1); ++h) {
    MatrixRef ref = wholeMatrix(tensor, c, item, 0);
    ref.head = t.perHead ? h : -1;
    ref.gradient = gradient;
    const auto cells = cellsToShow(trace, ref);
    if (!cells) return largest;  // the largest of the heads that are computed
    largest = std::max(largest, largestFinite(*cells));
  }
  known = {revision, largest};
  return largest;
}

float Magnitudes::ofPart(const Trace& trace, const MatrixRef& ref) {
  forgetIfMany(parts_);
  Known& known = parts_[ref.place().value()];
  const std::uint64_t revision = revisionOf(trace, ref);
  if (known.revision == revision) return known.value;
  const auto cells = cellsToShow(trace, ref);
  if (!cells) return 0.0F;
  known = {revision, largestFinite(*cells)};
  return known.value;
}

// Drawing.

gl::HeatmapQuad& Heatmaps::push(gl::HeatmapSource source, const ColorScale& scale, const Rect& at) {
  gl::HeatmapQuad quad;
  quad.rect = {at.a.x, at.a.y, at.b.x, at.b.y};
  quad.source = batch_.sources.size();
  quad.low = scale.low;
  quad.high = scale.high;
  quad.colorMap = scale.map;
  quad.gap = look_.space.hair;
  batch_.sources.push_back(std::move(source));
  batch_.quads.push_back(quad);
  return batch_.quads.back();
}

gl::HeatmapQuad& Heatmaps::add(const Fingerprint& place, const Fingerprint& values, CellRows cells,
                               const ColorScale& scale, const Rect& at, bool transposed,
                               Reduction how) {
  gl::HeatmapSource source;
  source.key = place.value();
  source.revision = values.value();
  const Index down = transposed ? cells.cols : cells.rows;
  const Index across = transposed ? cells.rows : cells.cols;
  source.rows = resolution(down, at.height(), look_);
  source.cols = resolution(across, at.width(), look_);
  source.fill = [cells = std::move(cells), transposed, how, rows = source.rows, cols = source.cols](
                    float* out) { reduceAsShown(cells, transposed, rows, cols, how, out); };
  return push(std::move(source), scale, at);
}

void Heatmaps::add(const Trace& trace, const MatrixRef& ref, const ColorScale& scale,
                   const Rect& at, float opacity) {
  if (at.empty() || ref.rows < 1 || ref.cols < 1) return;
  auto cells = cellsToShow(trace, ref);
  if (!cells) return;
  add(ref.place(), Fingerprint("revision", revisionOf(trace, ref)), std::move(*cells), scale, at,
      ref.transposed)
      .opacity = opacity;
}

gl::HeatmapQuad& Heatmaps::add(const Fingerprint& place, const Fingerprint& values,
                               std::shared_ptr<const void> hold, std::span<const float> cells,
                               int rows, int cols, const ColorScale& scale, const Rect& at) {
  gl::HeatmapSource source;
  source.key = place.value();
  source.revision = values.value();
  source.rows = rows;
  source.cols = cols;
  source.fill = [hold = std::move(hold), cells](float* out) {
    std::copy(cells.begin(), cells.end(), out);
  };
  return push(std::move(source), scale, at);
}

void Heatmaps::addHatched(const Rect& at) {
  if (at.empty()) return;
  gl::HeatmapSource source;
  source.key = Fingerprint("hatched").value();
  source.revision = 1;
  source.rows = source.cols = 1;
  source.fill = [](float* out) { *out = gl::kMaskedCell; };
  push(std::move(source), {}, at);
}

void Heatmaps::lightRow(double share) {
  const int rows = batch_.sources.back().rows;
  batch_.quads.back().highlightRow = static_cast<int>(share * rows);
}

void Heatmaps::draw(ImDrawList* list) { addHeatmaps(list, look_.scene, std::exchange(batch_, {})); }

CellNumbers numbersOf(const Trace& trace, const MatrixRef& ref) {
  return {[&trace, ref](Index row, Index col) { return trace.value(ref.cell(row, col)); },
          [&trace, ref](Index row, Index col) { return isHidden(trace, ref.cell(row, col)); }};
}

float numberWidth(const FrameContext& look, const ColorScale& scale, Index rows, Index cols,
                  const CellNumbers& numbers) {
  return NumberRoom(look, look.fonts.monoSmall, scale, rows, cols, numbers).least();
}

float numberHeight(const FrameContext& look) { return lineOf(look, look.fonts.monoSmall); }

bool drawNumbers(const FrameContext& look, ImDrawList* list, const MatrixPlace& place,
                 const ColorScale& scale, const CellNumbers& numbers, ImFont* font) {
  if (font == nullptr) font = look.fonts.monoSmall;
  const ImVec2 cell = place.cell();
  // narrow cells fail before any of their many numbers is read
  if (cell.y < lineOf(look, font) || cell.x < textSize(font, "0").x) return false;
  const NumberRoom room(look, font, scale, place.rows, place.cols, numbers);
  const auto form = room.formIn(cell.x);
  if (!form) return false;
  for (Index row = 0; row < place.rows; ++row) {
    for (Index col = 0; col < place.cols; ++col) {
      const float value = numbers.value(row, col);
      if (value <= gl::kMaskedCell) continue;
      const bool hidden = numbers.hidden && numbers.hidden(row, col);
      const ImU32 ink = hidden ? look.theme.textMuted : legibleOn(scale.color(look.maps, value));
      const std::string text = form->text(value);
      drawTextCentred(list, font, place.cellAt(row, col).centre(), ink, text);
    }
  }
  return true;
}

void drawFrame(const FrameContext& look, ImDrawList* list, const Rect& block, ImU32 color,
               float points) {
  const Rect around = block.outset(1.0F);
  list->AddRect(around.a, around.b, look.theme.panel, 0, 0,
                look.px(points) + 2.0F * look.space.hair);
  list->AddRect(around.a, around.b, color, 0, 0, look.px(points));
}

}  // namespace headscope::ui
