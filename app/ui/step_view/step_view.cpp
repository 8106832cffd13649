#include "app/ui/step_view/step_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/cells/cell_menu.h"
#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/frame_state.h"
#include "app/ui/panel.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/parts/matrix_marks.h"
#include "app/ui/preferences.h"
#include "app/ui/step_view/arithmetic_strip.h"
#include "app/ui/step_view/head_panels.h"
#include "app/ui/step_view/step_view_heading.h"
#include "app/ui/step_view/step_view_layout.h"
#include "app/ui/step_view/step_view_matrix.h"
#include "app/ui/step_view/step_view_note.h"
#include "app/ui/step_view/used_columns.h"
#include "app/ui/timeline/timeline_view.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kScrollbar = 8.0F;  // points; low, so that it stands in the gap below the matrices
constexpr Index kWorkedWidth = 16;  // the largest d_model of an example that one computes by hand
constexpr float kCurvesFrom = 130.0F;  // the least height with curves, in points at scale 1
constexpr float kAsideFrom = 220.0F;   // the least height with asides, in points at scale 1
constexpr float kColumnNamesShare =
    0.32F;  // the largest share of the step view's height for the names of columns

/// A cell's place on the step view.
struct StepViewCell {
  CellRef cell;
  Rect matrix, at;  // the places of its matrix and of the cell itself
  float magnitude;  // the largest magnitude in the matrix
};

/// The matrices of a step, laid out in a rectangle.
class StepView {
 public:
  StepView(const PanelContext& panel, const StepViewMoment* played, Rect room,
           UsedColumnsMemory& columns)
      : panel_(panel),
        look_(panel.look),
        played_(played),
        items_(stepViewItems(panel.selection.step, panel.trace.config(), panel.view)) {
    const auto used = columnsToKeep(items_, panel.trace, columns);
    const bool all = panel.preferences.faintColumns ||
                     (used && panel.selection.cell && hides(items_, *used, *panel.selection.cell));
    if (used && !all) keepColumns(items_, *used);
    note_ = stepViewNote(panel, items_, used);
    if (note_.aside && room.height() < look_.px(kAsideFrom)) note_ = {};
    const float noteHeight = stepViewNoteHeight(look_, note_);
    if (noteHeight > 0.0F) noteAt_ = room.cutBottom(noteHeight, look_.space.tight);
    for (StepViewItem& item : items_) item.numberWidth = numberWidthOf(item);
    Rect matrices = room;
    matrices.cutRight(colorBarWidth(look_) + look_.px(18) + sumsRoom());
    names_.room = room.height() * kColumnNamesShare;
    shownWidth_ = matrices.width();
    layOut(matrices);
    const bool worked = panel.trace.config().dModel <= kWorkedWidth;
    if (worked && numbers() == Numbers::narrow) widen(matrices);
    findLit();
    const auto result = resultLookedAt(items_, panel.selection.step, panel.view);
    if (result && !narrates()) explained_ = &panel.explanations.of(panel.trace, *result);
  }

  /// The width by which the matrices stand out of the room.
  float beyond() const { return beyond_; }

  /// Returns the cell under the mouse.
  std::optional<Hover> draw(bool pickable) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    Heatmaps heatmaps(look_);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].sign) continue;
      heatmaps.add(panel_.trace, items_[i].ref, scaleOf(items_[i].ref), places_[i]);
    }
    heatmaps.draw(list);
    std::optional<Hover> found;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const StepViewItem& item = items_[i];
      if (item.sign) {
        const bool word = item.text.size() > 4;
        drawTextCentred(list, word ? look_.fonts.small : look_.fonts.title, places_[i].centre(),
                        look_.theme.textMuted, item.text);
        continue;
      }
      StepViewMatrix matrix{item, scaleOf(item.ref), places_[i], names_, explained_, pickable};
      if (played_ != nullptr && item.result) matrix.veiled = played_->veiled;
      if (scaleShared() && !item.ref.maskOnly) matrix.range = ownScale(item.ref).inWords();
      if (const auto hover = drawStepViewMatrix(panel_, matrix, lit_)) found = hover;
    }
    drawStepViewNote(panel_, note_, noteAt_);
    noteSoughtCell();
    return found;
  }

  /// Notes the place of the cell to which a lesson's arrow goes, where it is in sight.
  void noteSoughtCell() {
    SoughtControl* sought = look_.sought;
    if (sought == nullptr || sought->text != kSoughtCell || !panel_.frame.soughtCell) return;
    const auto cell = locate(*panel_.frame.soughtCell);
    if (cell && ImGui::IsRectVisible(cell->at.a, cell->at.b)) sought->at = cell->at;
  }

  /// Returns the place of a cell; none where the step view does not show it.
  std::optional<StepViewCell> locate(const CellRef& cell) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const MatrixRef& ref = items_[i].ref;
      const auto block = litCell(items_[i], cell);
      if (!block) continue;
      const Rect at = ref.placedAt(places_[i]).cellAt(block->row, block->col);
      return StepViewCell{cell, places_[i], at, scaleOf(ref).high};
    }
    return std::nullopt;
  }

 private:
  float sumsRoom() const {
    float room = 0.0F;
    for (const StepViewItem& item : items_) {
      if (!item.sign && item.result) room += rowSumRoom(look_, item.ref);
    }
    return room;
  }

  /// The width that a column needs for its numbers; 0 where a matrix has too many to show them
  /// next to others.
  float numberWidthOf(const StepViewItem& item) {
    constexpr Index kFewColumns = 16;
    constexpr Index kFewCells = 1024;
    const MatrixRef& ref = item.ref;
    if (item.sign || ref.maskOnly || ref.shownCols() > kFewColumns) return 0.0F;
    if (ref.rows * ref.cols > kFewCells) return 0.0F;
    return numberWidth(look_, scaleOf(ref), ref.shownRows(), ref.shownCols(),
                       stepViewNumbers(panel_.trace, ref));
  }

  /// Lays out the step view. Names of columns are turned where more of them fit that way than on a
  /// line.
  void layOut(const Rect& room) {
    names_.curves = room.height() > look_.px(kCurvesFrom);
    float curves = 0.0F;
    for (const StepViewItem& item : items_) {
      curves = std::max(
          curves, stepViewColumnLabels(panel_, item.colLane, room.width(), names_).curvesRoom());
    }
    names_.room += curves;
    const float line = look_.space.tight + curves + fontSize(look_.fonts.small) + look_.px(8);
    places_ = layoutStepView(items_, room, metrics(line));
    const NamesShown flat = namesShown();
    names_.turned = true;
    const auto onLine = places_;
    const float turned = namesShown().room;
    if (turned > line) places_ = layoutStepView(items_, room, metrics(turned));
    if (namesShown().count > flat.count) return;
    names_.turned = false;
    places_ = onLine;
  }

  /// All matrices show their numbers; they would in a wider room; or they have too many.
  enum class Numbers { shown, narrow, none };
  Numbers numbers() const {
    bool narrow = false;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const StepViewItem& item = items_[i];
      if (item.sign) continue;
      const ImVec2 cell = item.ref.placedAt(places_[i]).cell();
      if (item.numberWidth == 0.0F || cell.y < numberHeight(look_)) return Numbers::none;
      narrow = narrow || cell.x < item.numberWidth;
    }
    return narrow ? Numbers::narrow : Numbers::shown;
  }

  /// Lays the matrices out in a wider room, in which all show their numbers: the card then scrolls.
  /// Leaves them as they are where twice the room is not enough.
  void widen(Rect room) {
    constexpr float kMost = 2.0F;
    const auto places = places_;
    const ColumnNames names = names_;
    const float most = room.width() * (kMost - 1.0F);
    const float by = look_.px(12);
    while (numbers() == Numbers::narrow && beyond_ + by <= most) {
      beyond_ += by;
      room.b.x += by;
      names_ = names;
      layOut(room);
    }
    if (numbers() == Numbers::shown) return;
    places_ = places;
    names_ = names;
    beyond_ = 0.0F;
  }

  /// The number of names of columns below the matrices in their present places, and the largest
  /// height that they take.
  struct NamesShown {
    Index count = 0;
    float room = 0.0F;
  };
  NamesShown namesShown() const {
    NamesShown shown;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const ColumnLabels labels =
          stepViewColumnLabels(panel_, items_[i].colLane, places_[i].width(), names_);
      shown.count += labels.shown();
      shown.room = std::max(shown.room, labels.room() + look_.px(8));
    }
    return shown;
  }

  StepViewMetrics metrics(float columnLabel) const {
    float rowLabel = 0.0F;
    for (const StepViewItem& item : items_) {
      rowLabel = std::max(rowLabel, stepViewLabels(panel_, item.rowLane).width());
    }
    StepViewMetrics m{};
    m.largestCell = look_.px(46);
    m.widestCell = 1.6F;
    m.numberHeight = numberHeight(look_);
    m.rowLabel = rowLabel + look_.px(10);
    m.axisName = look_.px(16);
    m.columnLabel = columnLabel;
    m.title = look_.px(26);
    m.sign = look_.px(30);
    m.word = look_.px(66);
    m.shortestSide = look_.px(90);
    m.shownWidth = shownWidth_;
    return m;
  }

  /// Returns whether the step view shows the moment of the timeline and not the cell under the
  /// mouse.
  bool narrates() const {
    return played_ != nullptr && (panel_.frame.playing || !panel_.frame.hovered);
  }

  void findLit() {
    lit_.fill(-1);
    const auto set = [this](Lane lane, Index at) { lit_[static_cast<std::size_t>(lane)] = at; };
    if (narrates()) {
      lit_ = played_->lit;
    } else if (panel_.frame.hovered) {
      set(panel_.frame.hovered->rowLane, panel_.frame.hovered->row);
      set(panel_.frame.hovered->colLane, panel_.frame.hovered->col);
    } else if (panel_.selection.cell) {
      for (const StepViewItem& item : items_) {
        const auto block = litCell(item, *panel_.selection.cell);
        if (!block || !item.linked) continue;
        set(item.rowLane, block->row + item.rowOffset);
        set(item.colLane, block->col + item.colOffset);
        break;
      }
    }
  }

  /// Returns whether matrices share one scale, as in the steps Scale and Mask, so that colours show
  /// the change. A bias, small compared with the scores, has its own.
  bool scaleShared() const {
    const StepId step = panel_.selection.step;
    return (step == StepId::scale || step == StepId::mask) && !panel_.frame.gradientsThere;
  }
  ColorScale ownScale(const MatrixRef& ref) {
    return colorScale(look_, panel_.trace, ref, panel_.magnitudes.ofPart(panel_.trace, ref));
  }
  ColorScale scaleOf(const MatrixRef& ref) {
    if (!scaleShared() || ref.tensor == TensorId::pairBias) return ownScale(ref);
    float largest = 0.0F;
    for (const StepViewItem& item : items_) {
      if (item.sign || item.ref.maskOnly) continue;
      largest = std::max(largest, panel_.magnitudes.ofPart(panel_.trace, item.ref));
    }
    return colorScale(look_, panel_.trace, ref, largest);
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const StepViewMoment* played_;  // the moment of the timeline; null off it
  std::vector<StepViewItem> items_;
  std::vector<Rect> places_;
  float beyond_ = 0.0F;
  float shownWidth_ = 0.0F;  // of the matrices that are in sight
  StepViewNote note_;
  Rect noteAt_;
  ColumnNames names_;
  Lit lit_{};
  const Explanation* explained_ = nullptr;  // the arithmetic of a result's cell
};

/// Draws the field for typing over a cell.
void stepViewTyping(const PanelContext& panel, CellEditing& editing, const Rect& cell) {
  const FrameContext& look = panel.look;
  const ImVec2 size(std::max(cell.width(), look.px(96)),  // at least the width of a number
                    ImGui::GetFrameHeight());
  const Rect window = Rect::at(ImGui::GetWindowPos(), ImGui::GetWindowSize());
  const auto within = [](float middle, float length, float low, float high) {
    return std::clamp(middle - length * 0.5F, low, std::max(high - length, low));
  };
  editing.field = Rect::at({within(cell.centre().x, size.x, window.a.x, window.b.x),
                            within(cell.centre().y, size.y, window.a.y, window.b.y)},
                           size);
  const Rect behind = editing.field.outset(1.0F);
  ImGui::GetWindowDrawList()->AddRectFilled(behind.a, behind.b, look.theme.panel, look.px(5));
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(editing.field.a);
  typingField(panel, editing, size.x);
  ImGui::SetCursorScreenPos(cursor);
}

/// Returns whether the mouse is on that field and so not on the cells below it.
bool overStepViewTyping(const CellEditing& editing) {
  return editing.typing == TypingPlace::stepView &&
         ImGui::IsMouseHoveringRect(editing.field.a, editing.field.b);
}

/// Draws the outline of the chosen cell's matrix, and handles dragging and scrolling of its value.
/// The click that chooses a cell does not drag it.
void chosenStepViewCell(const PanelContext& panel, CellEditing& editing, const StepViewCell& shown,
                        bool draggable, bool underMouse) {
  const FrameContext& look = panel.look;
  const Rect around = shown.matrix.outset(look.space.tight);
  ImGui::GetWindowDrawList()->AddRect(around.a, around.b, look.theme.accent, look.px(4), 0,
                                      look.px(1.5F));
  const CellAccess access = cellAccess(panel.trace, shown.cell);
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  if (access.editable() && draggable && editing.typing != TypingPlace::stepView) {
    ImGui::SetCursorScreenPos(shown.at.a);
    pictureArea("chosen cell",
                {std::max(shown.at.width(), 1.0F), std::max(shown.at.height(), 1.0F)});
    dragCell(panel, editing, access, shown.magnitude, {0.0F, -1.0F});
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    }
    if (underMouse) scrollCell(panel, editing, access, shown.magnitude);
  }
  if (std::exchange(editing.menu.asked, false)) {
    const ImVec2 below(shown.at.a.x, shown.at.b.y + look.space.tight);
    openCellMenu(panel, editing.menu, shown.cell, &below);
  }
  ImGui::SetCursorScreenPos(cursor);
}

/// Handles the chosen cell and the cell that is typed over, where the step view shows them.
void stepViewCells(const PanelContext& panel, StepView& stepView, CellEditing& editing,
                   const std::optional<Hover>& found, const std::optional<CellRef>& chosenBefore) {
  const auto& chosen = panel.selection.cell;
  if (found && ImGui::IsMouseClicked(1)) openCellMenu(panel, editing.menu, found->cell, nullptr);
  if (found && chosen && found->cell == *chosen && ImGui::IsMouseDoubleClicked(0)) {
    typeOverCell(panel, editing);
  }
  if (chosen) {
    if (const auto shown = stepView.locate(*chosen)) {
      chosenStepViewCell(panel, editing, *shown, chosenBefore == chosen,
                         found && found->cell == *chosen);
    }
  }
  if (editing.typing != TypingPlace::stepView) return;
  if (const auto shown = stepView.locate(editing.typedAt)) {
    stepViewTyping(panel, editing, shown->at);
  } else {
    editing.typing = TypingPlace::none;
  }
}

/// Draws the step's result of all heads in place of its matrices.
void stepViewOfAllHeads(const PanelContext& panel, CellEditing& editing, const Playback& playback,
                        TensorId tensor, const Rect& strip) {
  std::optional<HeadGridPlay> play;
  if (playback.stepView) play = HeadGridPlay{playback.stepView->headsReached, strip.height()};
  headGrid(panel, tensor, play);
  if (play) narrationStrip(panel.look, playback.narration, strip);
  if (editing.typing == TypingPlace::stepView) editing.typing = TypingPlace::none;
  if (std::exchange(editing.menu.asked, false) && panel.selection.cell) {
    const ImVec2 corner = ImGui::GetWindowPos();
    openCellMenu(panel, editing.menu, *panel.selection.cell, &corner);
  }
}

struct StepViewMemory {
  ArithmeticMemory arithmetic;
  UsedColumnsMemory columns;
  std::optional<CellRef> chosen;  // in the last frame
};

/// Draws the matrices, with their cells' menu. Returns the cell under the mouse.
std::optional<Hover> stepViewMatrices(const PanelContext& panel, StepView& stepView,
                                      CellEditing& editing) {
  const std::optional<CellRef> chosenBefore = panel.selection.cell;
  const std::optional<Hover> found = stepView.draw(!overStepViewTyping(editing));
  stepViewCells(panel, stepView, editing, found, chosenBefore);
  cellMenu(panel, editing.menu);
  return found;
}

/// Makes room for what stands out of the shown part, and brings the cell into sight that has been
/// chosen since the last frame.
void scrollStepView(const PanelContext& panel, StepView& stepView, StepViewMemory& memory,
                    const Rect& shown) {
  const bool chosen = std::exchange(memory.chosen, panel.selection.cell) != panel.selection.cell;
  ImGui::SetCursorScreenPos(shown.a);
  ImGui::Dummy({shown.width() + stepView.beyond(), 1.0F});
  if (!chosen || !panel.selection.cell) return;
  const auto cell = stepView.locate(*panel.selection.cell);
  const Rect window = Rect::at(ImGui::GetWindowPos(), ImGui::GetWindowSize());
  if (cell && (cell->at.a.x < window.a.x || cell->at.b.x > window.b.x)) {
    ImGui::SetScrollFromPosX(cell->at.centre().x - window.a.x);
  }
}

void fillStepView(const PanelContext& panel, StepViewMemory& memory, CellEditing& editing,
                  const Playback& playback) {
  const FrameContext& look = panel.look;
  const auto grid = panel.selection.scope == StepViewScope::allHeads
                        ? perHeadResult(panel.selection.step, panel.selection)
                        : std::nullopt;
  stepViewHeading(panel, !grid && panel.selection.step != StepId::output);
  Rect room = Rect::rest();
  const StepViewMoment* played = playback.stepView ? &*playback.stepView : nullptr;
  const float height = played != nullptr ? narrationHeight(look, room.height())
                                         : look.px(room.height() > look.px(270) ? 54 : 32);
  const Rect strip = room.cutBottom(height, look.space.small);
  if (grid) {
    stepViewOfAllHeads(panel, editing, playback, *grid, strip);
    cellMenu(panel, editing.menu);
    return;
  }
  std::optional<Hover> found;
  StepView stepView(panel, played, room, memory.columns);
  if (stepView.beyond() <= 0.0F) {
    found = stepViewMatrices(panel, stepView, editing);
  } else {
    ImGui::SetCursorScreenPos(room.a);
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, look.px(kScrollbar));
    beginPart("matrices", {room.width(), room.height() + look.space.small},
              ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleVar();
    const Rect shown = Rect::at(ImGui::GetCursorScreenPos(), room.size());
    StepView scrolled(panel, played, shown, memory.columns);
    found = stepViewMatrices(panel, scrolled, editing);
    scrollStepView(panel, scrolled, memory, shown);
    ImGui::EndChild();
  }
  if (played != nullptr && (panel.frame.playing || !panel.frame.hovered)) {
    narrationStrip(look, playback.narration, strip);
  } else {
    arithmeticStrip(panel, memory.arithmetic, panel.explanations, strip);
  }
  panel.frame.hovered = found;
}

class StepViewCard final : public Card {
 public:
  StepViewCard(const CardText& text, CellEditing& editing, const Playback& playback)
      : Card(text), editing_(editing), playback_(playback) {}

  void draw(const PanelContext& panel) override {
    if (!playback_.stepView) return fillStepView(panel, memory_, editing_, playback_);
    // the timeline shows its own head and scope, without a change of the view's
    const StepViewMoment& shown = *playback_.stepView;
    const Index head = std::exchange(panel.selection.head, shown.head);
    const StepViewScope scope = std::exchange(panel.selection.scope, shown.scope);
    fillStepView(panel, memory_, editing_, playback_);
    if (panel.selection.head == shown.head) panel.selection.head = head;
    if (panel.selection.scope == shown.scope) {
      panel.selection.scope = scope;
    } else {
      leaveTimeline(panel.view);
    }
  }
  bool takesWheel() const override { return editing_.takesWheel; }

 private:
  CellEditing& editing_;
  const Playback& playback_;
  StepViewMemory memory_;
};

}  // namespace

std::unique_ptr<Card> makeStepViewCard(CellEditing& editing, const Playback& playback) {
  return makeStepViewCard({kStepViewCard, tr("Step"), tr("the matrices of the step")}, editing,
                          playback);
}

std::unique_ptr<Card> makeStepViewCard(const CardText& text, CellEditing& editing,
                                       const Playback& playback) {
  return std::make_unique<StepViewCard>(text, editing, playback);
}

}  // namespace headscope::ui
