#include "app/ui/tools/compared_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/parts/computed.h"
#include "app/ui/rich_text.h"
#include "app/ui/selection.h"
#include "app/ui/view_state.h"
#include "app/ui/widgets.h"
#include "core/analysis/rows.h"
#include "core/analysis/trace_difference.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr float kBeyondScales = 1.0e30F;  // stands for an infinite difference: beyond every scale
constexpr std::size_t kDifferenceIndex = 2;

class Compared {
 public:
  Compared(const PanelContext& panel, const ComparedPasses& passes, const StepViewItem& item,
           const MatrixDifference& difference)
      : panel_(panel),
        look_(panel.look),
        passes_(passes),
        item_(item),
        ref_(item.ref),
        difference_(difference),
        list_(ImGui::GetWindowDrawList()),
        sign_(look_.space.wide) {}

  void draw(Rect room) {
    const float line = fontSize(look_.fonts.small) + look_.space.tight;
    const bool two = room.height() > look_.px(150);
    Rect words = room.cutBottom(two ? 2.0F * line : line, look_.space.tight);
    place(room);
    findCell();
    heatmaps();
    for (std::size_t i = 0; i < places_.size(); ++i) matrix(i);
    sign(0, "−");
    sign(1, "=");
    if (bar_) {
      const Rect& last = places_[kDifferenceIndex].at;
      colorBar(look_, scaleOf(kDifferenceIndex), {last.b.x + look_.space.large, last.a.y},
               std::clamp(last.height(), look_.px(44), look_.px(160)));
    }
    if (two) write(words.cutTop(line), summary(roomFrom(words.a.x)));
    if (cell_ || !two) write(words, cellInWords());
  }

 private:
  AxisLabels labels(Lane lane, Index lit = -1) const {
    const Theme& t = look_.theme;
    AxisLabels labels;
    if (!isTokenLane(lane)) return labels;
    const Index item = std::max<Index>(ref_.item, panel_.selection.item);
    labels.texts = laneTokens(passes_.first.trace, lane, item);
    labels.font = look_.fonts.small;
    labels.color = t.text;
    labels.litColor = lane == Lane::query ? t.queryText : t.keyText;
    labels.lit = lit;
    labels.chosen = chosenAlong(lane, panel_.selection.cell);
    labels.limit = labelLimit_;
    labels.curves = laneCurves(look_, passes_.first.trace, lane, item);
    return labels;
  }
  ColumnLabels columns(float width, Index lit = -1) const {
    return {look_, labels(item_.colLane, lit), width, mostBelow_};
  }

  void place(Rect room) {
    const Index rows = ref_.shownRows();
    const Index cols = ref_.shownCols();
    bar_ = room.width() > look_.px(900);
    labelLimit_ = look_.px(room.width() > look_.px(560) ? 80 : 46);
    room.cutTop(fontSize(look_.fonts.semibold) + look_.space.small);
    if (bar_) room.cutRight(colorBarWidth(look_) + 2.0F * look_.space.large);
    mostBelow_ = room.height() * 0.5F;
    const bool tokenRows = isTokenLane(item_.rowLane);
    const bool tokenCols = isTokenLane(item_.colLane);
    const float names = tokenRows ? labels(item_.rowLane).width() + look_.space.large : 0.0F;
    const float width = std::max((room.width() - 3.0F * names - 2.0F * sign_) / 3.0F, look_.px(8));
    const float most = look_.px(46);
    const auto layOut = [&](float below) {
      const float height = std::max(room.height() - below, look_.px(8));
      ImVec2 cell(width / static_cast<float>(cols),
                  std::min(most, height / static_cast<float>(rows)));
      // cells are as wide as the room allows, for the numbers and the labels below
      cell.x = std::min(cell.x, tokenCols ? std::max(2.0F * cell.y, most) : look_.px(74));
      return ImVec2(cell.x * static_cast<float>(cols), cell.y * static_cast<float>(rows));
    };
    ImVec2 size = layOut(0.0F);
    if (tokenCols) size = layOut(columns(size.x).room());
    float x = room.a.x;
    for (MatrixPlace& place : places_) {
      place = ref_.placedAt(Rect::at({x + names, room.a.y}, size));
      x = place.at.b.x + sign_;
    }
  }

  /// Finds the cell to mark: the one under the mouse here, or else the one under the mouse or
  /// chosen elsewhere.
  void findCell() {
    for (const MatrixPlace& place : places_) {
      cell_ = place.hovered();
      if (!cell_) continue;
      if (ImGui::IsMouseClicked(0)) panel_.selection.cell = ref_.cell(*cell_);
      return;
    }
    if (panel_.frame.hovered) cell_ = ref_.find(panel_.frame.hovered->cell);
    if (!cell_ && panel_.selection.cell) cell_ = ref_.find(*panel_.selection.cell);
  }

  ColorScale scaleOf(std::size_t i) const {
    if (i == kDifferenceIndex) {
      return divergingScale(look_, difference_.largestFinite);
    }
    if (ref_.tensor != TensorId::weights) {
      return divergingScale(look_, difference_.magnitude);
    }
    return weightScale(look_, weightRange(passes_.first.trace, ref_.item, ref_.head)
                                  .with(weightRange(passes_.second.trace, ref_.item, ref_.head)));
  }

  void heatmaps() {
    Heatmaps maps(look_);
    const auto& [first, second] = passes_;
    MatrixRef ref = ref_;
    ref.salt = first.salt;
    maps.add(first.trace, ref, scaleOf(0), places_[0].at);
    ref.salt = second.salt;
    maps.add(second.trace, ref, scaleOf(1), places_[1].at);
    const Fingerprint place("difference", first.salt, second.salt, ref.tensor, ref.item, ref.head,
                            ref.row0, ref.rows, ref.col0, ref.cols, ref.transposed);
    maps.add(place, Fingerprint("passes", first.trace.pass(), second.trace.pass()),
             differenceRows(first.trace, second.trace, ref_), scaleOf(kDifferenceIndex),
             places_[kDifferenceIndex].at, ref_.transposed);
    maps.draw(list_);
  }

  float valueOf(std::size_t i, const CellRef& cell) const {
    if (i == 0) return passes_.first.trace.value(cell);
    if (i == 1) return passes_.second.trace.value(cell);
    return difference(passes_.second.trace.value(cell), passes_.first.trace.value(cell));
  }
  bool hiddenIn(std::size_t i, const CellRef& cell) const {
    const bool first = isHidden(passes_.first.trace, cell);
    const bool second = isHidden(passes_.second.trace, cell);
    return i == 0 ? first : i == 1 ? second : first && second;
  }

  void matrix(std::size_t i) {
    const MatrixPlace& place = places_[i];
    list_->AddRect(place.at.a, place.at.b, look_.theme.panelBorder);
    title(i);
    const ColorScale scale = scaleOf(i);
    CellNumbers numbers{[&](Index r, Index c) { return valueOf(i, ref_.cell(r, c)); },
                        [&](Index r, Index c) { return hiddenIn(i, ref_.cell(r, c)); }};
    if (i == kDifferenceIndex && scale.high < 0.1F) numbers.decimals = scale.high < 0.01F ? 4 : 3;
    drawNumbers(look_, list_, place, scale, numbers);
    drawRowLabels(list_, labels(item_.rowLane, cell_ ? cell_->row : -1), place.at,
                  look_.space.small);
    columns(place.at.width(), cell_ ? cell_->col : -1).draw(list_, place.at);
    if (!cell_) return;
    const Rect block = place.block(static_cast<double>(cell_->row), 1,
                                   static_cast<double>(cell_->col), 1, look_.space.tight);
    list_->AddRect(block.a, block.b, look_.theme.text, 0, 0, look_.space.thin);
  }

  /// Draws the title "after A_3 0 to 1", as much of it as fits.
  void title(std::size_t i) {
    const Theme& t = look_.theme;
    ImFont* font = look_.fonts.semibold;
    const Rect& at = places_[i].at;
    const char* name = i == 0   ? passes_.first.name
                       : i == 1 ? passes_.second.name
                                : tr("difference");
    // to the left of a narrow matrix, rather than beyond its end
    const float left = std::min(at.a.x, at.b.x - textSize(font, name).x);
    ImVec2 pen(left, at.a.y - look_.space.small - fontSize(font));
    drawText(list_, font, pen, t.text, name);
    pen.x += textSize(font, name).x + look_.space.small;
    const float end = at.b.x + sign_;
    const float symbol = richTextSize(look_.fonts, font, item_.text).x;
    if (i != kDifferenceIndex && pen.x + symbol <= end) {
      drawRichText(list_, look_.fonts, font, pen, t.accentText, item_.text);
      pen.x += symbol + look_.space.small;
    }
    ImFont* mono = look_.fonts.monoSmall;
    const std::string range = rangeOf(i);
    if (pen.x + textSize(mono, range).x > end) return;
    drawText(list_, mono, {pen.x, pen.y + (fontSize(font) - fontSize(mono)) * 0.6F}, t.textMuted,
             range);
  }

  std::string rangeOf(std::size_t i) const {
    const ColorScale scale = scaleOf(i);
    // an infinite difference has no place on the scale
    if (i != kDifferenceIndex || !std::isinf(difference_.largest)) return scale.inWords();
    return scale.allZero ? "0 or ∞" : scale.inWords() + " or ∞";
  }

  void sign(std::size_t after, const char* text) {
    const Rect& at = places_[after].at;
    drawTextCentred(list_, look_.fonts.title, {at.b.x + sign_ * 0.5F, at.centre().y},
                    look_.theme.textMuted, text);
  }

  /// Returns the differences in words, with the axes where they fit.
  std::string summary(float room) const {
    const std::string axes = tr(" · rows: queries, columns: keys");
    const std::string words = summaryOfCells();
    const bool scores = item_.rowLane == Lane::query && item_.colLane == Lane::key;
    const bool fits = textSize(look_.fonts.small, words + axes).x <= room;
    return scores && fits && difference_.changed > 0 ? words + axes : words;
  }

  std::string summaryOfCells() const {
    const MatrixDifference& d = difference_;
    if (d.changed == 0) return trFormat("nothing changed: all {} cells are the same", d.cells);
    return trFormat("{} of {} cells differ, most of all {}, by {}", withThousands(d.changed),
                    withThousands(d.cells), cellName(passes_.first.trace, d.where),
                    number(d.largest, 4));
  }

  std::string cellInWords() const {
    if (!cell_) return summaryOfCells();
    const CellRef cell = ref_.cell(*cell_);
    const float change = valueOf(kDifferenceIndex, cell);
    return trFormat("{}: {} {} · {} {} · difference {}{}", cellName(passes_.first.trace, cell),
                    passes_.first.name, number(valueOf(0, cell), 6), passes_.second.name,
                    number(valueOf(1, cell), 6), change > 0.0F ? "+" : "", number(change, 4));
  }

  /// The room of a line of words that begins at x.
  float roomFrom(float x) const {
    return ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - x - look_.space.medium;
  }

  void write(const Rect& line, const std::string& text) {
    drawText(list_, look_.fonts.small, line.a, look_.theme.text,
             wholeParts(look_.fonts.small, text, roomFrom(line.a.x)));
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const ComparedPasses& passes_;
  const StepViewItem& item_;
  const MatrixRef& ref_;
  const MatrixDifference& difference_;
  ImDrawList* list_;
  float sign_;  // the room between two matrices
  std::array<MatrixPlace, 3> places_;
  bool bar_ = false;  // whether the difference's scale stands next to it
  float labelLimit_ = 0.0F;
  float mostBelow_ = 0.0F;
  std::optional<MatrixCell> cell_;
};

}  // namespace

StepViewItem resultOf(StepId step, const AttentionConfig& config, const ViewState& view) {
  // a head's own part of the projection is shown by the step Split
  const bool part = step == StepId::project && view.selection.scope == StepViewScope::thisHead;
  std::vector<StepViewItem> items = stepViewItems(part ? StepId::split : step, config, view);
  const auto result = std::find_if(items.begin(), items.end(),
                                   [](const StepViewItem& item) { return item.result; });
  return result != items.end() ? std::move(*result) : std::move(items.back());
}

StepViewItem resultOf(TensorId tensor, const AttentionConfig& config, const ViewState& view) {
  ViewState of = view;
  if (tensor == TensorId::q || tensor == TensorId::k || tensor == TensorId::v)
    of.selection.part = tensor;
  return resultOf(producerOf(tensor).id(), config, of);
}

CellRows differenceRows(const Trace& first, const Trace& second, const MatrixRef& ref) {
  const auto read = [&first, &second, ref, firstShown = cellsOf(first, ref),
                     secondShown = cellsOf(second, ref)](Index r, std::span<float> cells) {
    const auto rowOf = [&](const Trace& trace) {
      std::vector<float> values(cells.size());
      trace.tile(ref.tensor, ref.item, ref.head, ref.row0 + r, 1, ref.col0, ref.cols,
                 values.data());
      return values;
    };
    const std::vector<float> a = rowOf(first), b = rowOf(second);
    std::vector<float> shown(cells.size());
    firstShown.read(r, cells);
    secondShown.read(r, shown);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c] <= gl::kMaskedCell && shown[c] <= gl::kMaskedCell) continue;
      cells[c] = std::clamp(difference(b[c], a[c]), -kBeyondScales, kBeyondScales);
    }
  };
  return {ref.rows, ref.cols, read};
}

void comparedMatrices(const PanelContext& panel, const ComparedPasses& passes,
                      const StepViewItem& item, const Rect& room) {
  const MatrixRef& ref = item.ref;
  const auto& [first, second] = passes;
  if (!comparable(second.trace, first.trace, ref.tensor)) {
    const bool both =
        has(first.trace.config(), ref.tensor) && has(second.trace.config(), ref.tensor);
    const std::string shapes =
        !both ? trFormat("Only one of the two has {}.", info(ref.tensor).name)
              : trFormat("{} has the shape {} {} and {} {}: cells cannot be compared.",
                         info(ref.tensor).name, toString(shapeOf(ref.tensor, first.trace.config())),
                         first.name, toString(shapeOf(ref.tensor, second.trace.config())),
                         second.name);
    drawText(ImGui::GetWindowDrawList(), panel.look.fonts.regular, room.a,
             panel.look.theme.textMuted, elided(panel.look.fonts.regular, shapes, room.width()));
    return;
  }
  const Fingerprint key("difference", first.trace.pass(), first.salt, second.trace.pass(),
                        second.salt, ref.tensor, ref.item, ref.head);
  const auto* difference =
      panel.computations.computeNow<MatrixDifference>("compared matrices", key, [&] {
        return matrixDifference(passes.second.trace, passes.first.trace, ref.tensor, ref.item,
                                ref.head);
      });
  if (difference != nullptr) Compared(panel, passes, item, *difference).draw(room);
}

}  // namespace headscope::ui
