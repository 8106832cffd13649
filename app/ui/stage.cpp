#include "app/ui/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/ui/arithmetic_strip.h"
#include "app/ui/axis_labels.h"
#include "app/ui/cell_marks.h"
#include "app/ui/cell_menu.h"
#include "app/ui/color_bar.h"
#include "app/ui/head_grid.h"
#include "app/ui/scene_commands.h"
#include "app/ui/stage_cell.h"
#include "app/ui/stage_items.h"
#include "app/ui/stage_layout.h"
#include "app/ui/stage_lit.h"
#include "app/ui/stage_matrix.h"
#include "app/ui/timeline/narration_strip.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

class Stage {
 public:
  Stage(const Panel& panel, StageMemory& memory, const Shown* played, ImVec2 origin, ImVec2 size)
      : panel_(panel),
        look_(panel.look),
        trace_(panel.trace),
        memory_(memory),
        played_(played),
        list_(ImGui::GetWindowDrawList()),
        origin_(origin),
        items_(stageItems(panel.view.step, panel.trace.config(), panel.view)) {
    const float room = barRoom();
    places_ = layoutStage(items_, size.x - room, size.y, metrics(false));
    if (columnLabelsTurn()) places_ = layoutStage(items_, size.x - room, size.y, metrics(true));
    findLit();
    const auto result = resultLookedAt(items_, panel.view.step, panel.view);
    if (result && !told()) explained_ = &memory.explanations.of(trace_, *result);
  }

  /// Gives the cell under the mouse.
  std::optional<Hover> draw(bool pickable) {
    batchHeatmaps();
    std::optional<Hover> found;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].sign) {
        drawSign(items_[i], places_[i]);
        continue;
      }
      StageMatrix matrix{items_[i],          scaleOf(items_[i].ref),
                         corner(places_[i]), oppositeCorner(places_[i]),
                         explained_,         pickable};
      if (played_ != nullptr && items_[i].result) matrix.veiled = played_->veiled;
      if (const auto hover = drawStageMatrix(panel_, matrix, lit_)) found = hover;
    }
    return found;
  }

  /// Where a cell is shown; only the corners are known of it yet.
  std::optional<StageCell> locate(const CellRef& cell) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const MatrixRef& ref = items_[i].ref;
      Index row = 0;
      Index col = 0;
      if (items_[i].sign || !ref.find(cell, &row, &col)) continue;
      StageCell shown{};
      shown.cell = cell;
      shown.matrixA = corner(places_[i]);
      shown.matrixB = oppositeCorner(places_[i]);
      const ImVec2 size(places_[i].width / static_cast<float>(ref.shownCols()),
                        places_[i].height / static_cast<float>(ref.shownRows()));
      shown.a = {shown.matrixA.x + static_cast<float>(col) * size.x,
                 shown.matrixA.y + static_cast<float>(row) * size.y};
      shown.b = {shown.a.x + size.x, shown.a.y + size.y};
      shown.magnitude = scaleOf(ref).high;
      return shown;
    }
    return std::nullopt;
  }

 private:
  ImVec2 corner(const StagePlace& p) const { return {origin_.x + p.x, origin_.y + p.y}; }
  ImVec2 oppositeCorner(const StagePlace& p) const {
    return {origin_.x + p.x + p.width, origin_.y + p.y + p.height};
  }
  float barRoom() const {
    float room = colorBarWidth(look_) + look_.px(18);
    for (const StageItem& item : items_) {
      if (!item.sign && item.result) room += rowSumRoom(look_, item.ref);
    }
    return room;
  }

  /// Whether a token is wider than its column.
  bool columnLabelsTurn() const {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].sign || !isTokenLane(items_[i].colLane)) continue;
      const auto& tokens = laneTokens(trace_, items_[i].colLane, panel_.view.item);
      const float column = places_[i].width / static_cast<float>(items_[i].ref.shownCols());
      if (labelWidth(look_.fonts.small, tokens, stageLabelLimit(look_)) > column - 3.0F)
        return true;
    }
    return false;
  }

  StageMetrics metrics(bool turned) const {
    const Index item = panel_.view.item;
    const float limit = stageLabelLimit(look_);
    float rowLabel = 0.0F;
    float columnLabel = 0.0F;
    for (const StageItem& i : items_) {
      if (i.sign) continue;
      const float rows = labelWidth(look_.fonts.small, laneTokens(trace_, i.rowLane, item), limit);
      const float cols = labelWidth(look_.fonts.small, laneTokens(trace_, i.colLane, item), limit);
      rowLabel = std::max(rowLabel, rows);
      columnLabel = std::max(columnLabel, cols);
    }
    StageMetrics m{};
    m.largestCell = look_.px(46);
    m.widestCell = 1.6F;
    m.numberHeight = look_.px(17);
    m.rowLabel = rowLabel + look_.px(26);
    m.columnLabel = turned ? columnLabel * 0.72F + look_.px(24) : look_.px(24);
    m.title = look_.px(26);
    m.sign = look_.px(30);
    m.shortestSide = look_.px(90);
    return m;
  }

  /// Whether the moment of the timeline is shown rather than the cell pointed at.
  bool told() const { return played_ != nullptr && (panel_.view.playing || !panel_.view.hovered); }

  void findLit() {
    lit_.fill(-1);
    const ViewState& view = panel_.view;
    const auto set = [this](Lane lane, Index at) { lit_[static_cast<std::size_t>(lane)] = at; };
    if (told()) {
      lit_ = played_->lit;
    } else if (view.hovered) {
      set(view.hovered->rowLane, view.hovered->row);
      set(view.hovered->colLane, view.hovered->col);
    } else if (view.selected) {
      for (const StageItem& item : items_) {
        Index row = 0;
        Index col = 0;
        if (item.sign || !item.linked || !item.ref.find(*view.selected, &row, &col)) continue;
        set(item.rowLane, row + item.rowOffset);
        set(item.colLane, col + item.colOffset);
        break;
      }
    }
  }

  ColorScale scaleOf(const MatrixRef& ref) {
    return colorScale(look_, panel_.view, ref.tensor,
                      memory_.magnitudes.of(trace_, ref.tensor, ref.item, ref.head));
  }

  void batchHeatmaps() {
    gl::HeatmapBatch batch;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].sign) continue;
      const MatrixRef& ref = items_[i].ref;
      addMatrix(batch, look_, trace_, ref, scaleOf(ref), corner(places_[i]),
                oppositeCorner(places_[i]));
    }
    addHeatmaps(list_, look_.scene, std::move(batch));
  }

  void drawSign(const StageItem& item, const StagePlace& p) {
    const bool word = item.text.size() > 4;
    ImFont* font = word ? look_.fonts.small : look_.fonts.title;
    drawTextCentred(list_, font,
                    {origin_.x + p.x + p.width * 0.5F, origin_.y + p.y + p.height * 0.5F},
                    look_.theme.textMuted, item.text);
  }

  const Panel& panel_;
  const Look& look_;
  const Trace& trace_;
  StageMemory& memory_;
  const Shown* played_;  // where the timeline stands, or null
  ImDrawList* list_;
  ImVec2 origin_;
  std::vector<StageItem> items_;
  std::vector<StagePlace> places_;
  Lit lit_{};
  const Explanation* explained_ = nullptr;  // of the cell looked at, where it is a result's
};

bool hasParts(StepId step) { return step == StepId::project || step == StepId::split; }
bool hasScopes(StepId step) { return step != StepId::output && step != StepId::concat; }

/// Of the row of switches at the right of the heading; 0 where the step has none.
float choicesWidth(const Panel& panel) {
  const Look& look = panel.look;
  const auto widthOf = [&](const char* text) {
    return textSize(look.fonts.regular, text).x + ImGui::GetStyle().FramePadding.x * 2 + look.px(4);
  };
  float width = 0.0F;
  if (hasParts(panel.view.step)) {
    width += widthOf("Q") + widthOf("K") + widthOf("V") + look.px(12);
  }
  if (hasScopes(panel.view.step)) width += widthOf("this head") + widthOf("all heads");
  return width;
}

void stageChoices(const Panel& panel) {
  ViewState& view = panel.view;
  const Look& look = panel.look;
  const bool parts = hasParts(view.step);
  const bool scopes = hasScopes(view.step);
  const float width = choicesWidth(panel);
  if (width == 0.0F) return;
  ImGui::SetCursorPos({ImGui::GetWindowContentRegionMax().x - width,
                       ImGui::GetStyle().WindowPadding.y - look.px(4)});
  if (parts) {
    constexpr TensorId kParts[] = {TensorId::q, TensorId::k, TensorId::v};
    const int chosen = view.part == TensorId::k ? 1 : view.part == TensorId::v ? 2 : 0;
    const int clicked = choices(look, "part", {"Q", "K", "V"}, chosen);
    if (clicked >= 0) view.part = kParts[clicked];
    ImGui::SameLine(0.0F, look.px(12));
  }
  if (scopes) {
    const int clicked = choices(look, "scope", {"this head", "all heads"},
                                view.scope == StageScope::allHeads ? 1 : 0);
    if (clicked >= 0) view.scope = clicked == 1 ? StageScope::allHeads : StageScope::thisHead;
  }
}

/// The chosen cell and the one typed over, where the stage shows them.
void stageCells(const Panel& panel, Stage& stage, CellEditing& editing,
                const std::optional<Hover>& found, const std::optional<CellRef>& chosenBefore) {
  if (found && ImGui::IsMouseClicked(1)) openCellMenu(panel, editing.menu, found->cell, nullptr);
  if (panel.view.selected) {
    if (auto shown = stage.locate(*panel.view.selected)) {
      shown->draggable = chosenBefore == panel.view.selected;
      shown->underMouse = found && found->cell == *panel.view.selected;
      stageCell(panel, editing, *shown);
    }
  }
  if (editing.typing != TypingPlace::stage) return;
  if (const auto shown = stage.locate(editing.typedAt)) {
    stageTyping(panel, editing, shown->a, shown->b);
  } else {
    editing.typing = TypingPlace::none;
  }
}

void fillStage(const Panel& panel, StageMemory& memory, CellEditing& editing,
               const Playback& playback) {
  ViewState& view = panel.view;
  const Look& look = panel.look;
  const Step& current = step(view.step);
  const StepText text = current.text(panel.trace.config());
  const ImVec2 top = ImGui::GetCursorPos();
  const bool grid = view.scope == StageScope::allHeads && perHeadResult(view.step, view);
  const bool perHead = !grid && view.step != StepId::output;
  const std::string title =
      fmt::format("Step {} · {}", stepPlace(view.step, panel.trace.config()) + 1, text.title);
  std::string explanation(text.sentence);
  if (perHead) {
    const AttentionConfig& c = panel.trace.config();
    const bool parts = view.step == StepId::project || view.step == StepId::split;
    const TensorId whose = parts ? view.part : TensorId::q;
    explanation += ", " + headName(whose, headIn(whose, view.head, c), c);
  }
  // up to the switches at its right
  const float beside = ImGui::GetContentRegionAvail().x - choicesWidth(panel) -
                       textSize(look.fonts.semibold, title).x - look.px(24);
  heading(look, title.c_str(),
          beside > look.px(60) ? elided(look.fonts.small, explanation, beside).c_str() : nullptr);
  const ImVec2 below = ImGui::GetCursorPos();
  stageChoices(panel);
  ImGui::SetCursorPos({top.x, below.y + look.px(4)});

  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Shown* played = playback.shown ? &*playback.shown : nullptr;
  const float strip =
      played != nullptr ? narrationHeight(look, room.y) : look.px(room.y > look.px(210) ? 54 : 32);
  const ImVec2 stripAt(origin.x, origin.y + room.y - strip);
  if (grid) {
    std::optional<HeadGridPlay> play;
    if (played != nullptr) play = HeadGridPlay{played->headsReached, strip};
    headGrid(panel, memory.magnitudes, *perHeadResult(view.step, view), play);
    if (play) narrationStrip(look, playback.narration, stripAt, {room.x, strip});
    if (editing.typing == TypingPlace::stage) editing.typing = TypingPlace::none;
    if (std::exchange(editing.menu.asked, false) && view.selected) {
      const ImVec2 corner = ImGui::GetWindowPos();
      openCellMenu(panel, editing.menu, *view.selected, &corner);
    }
    cellMenu(panel, editing.menu);
    return;
  }
  Stage stage(panel, memory, played, origin, {room.x, room.y - strip - look.px(6)});
  const std::optional<CellRef> chosenBefore = view.selected;
  const std::optional<Hover> found = stage.draw(!overStageTyping(editing));
  if (played != nullptr && (view.playing || !view.hovered)) {
    narrationStrip(look, playback.narration, stripAt, {room.x, strip});
  } else {
    arithmeticStrip(panel, memory.arithmetic, memory.explanations, stripAt, {room.x, strip});
  }
  stageCells(panel, stage, editing, found, chosenBefore);
  cellMenu(panel, editing.menu);
  view.hovered = found;
}

}  // namespace

void stagePanel(const Panel& panel, StageMemory& memory, CellEditing& editing,
                const Playback& playback) {
  if (!playback.shown) {
    fillStage(panel, memory, editing, playback);
    return;
  }
  // the timeline shows a head and a scope of its own, and leaves the view's as they are
  ViewState& view = panel.view;
  const Shown& shown = *playback.shown;
  const Index head = std::exchange(view.head, shown.head);
  const StageScope scope = std::exchange(view.scope, shown.scope);
  fillStage(panel, memory, editing, playback);
  if (view.head == shown.head) view.head = head;
  if (view.scope == shown.scope) {
    view.scope = scope;
  } else {
    leaveTimeline(view);
  }
}

}  // namespace headscope::ui
