#include "app/ui/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/head_grid.h"
#include "app/ui/rich_text.h"
#include "app/ui/scene_commands.h"
#include "app/ui/stage_items.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

ImU32 inkColor(const Theme& t, Ink ink, Index head) {
  switch (ink) {
    case Ink::plain:
      return t.textMuted;
    case Ink::input:
      return t.text;
    case Ink::query:
      return t.queryText;
    case Ink::key:
      return t.keyText;
    case Ink::value:
      return t.valueText;
    case Ink::head:
      return headColor(t, static_cast<std::size_t>(head));
    case Ink::output:
      return t.outputText;
    case Ink::accent:
      break;
  }
  return t.accentText;
}

/// Where the mouse or the chosen cell stands along each lane; −1: nowhere.
using Lit = std::array<Index, 5>;

Index litAt(const Lit& lit, Lane lane, Index offset, Index count) {
  const Index at = lit[static_cast<std::size_t>(lane)];
  if (lane == Lane::none || at < offset || at >= offset + count) return -1;
  return at - offset;
}

class Stage {
 public:
  Stage(const Panel& panel, StageMemory& memory, ImVec2 origin, ImVec2 size)
      : panel_(panel),
        look_(panel.look),
        trace_(panel.trace),
        memory_(memory),
        list_(ImGui::GetWindowDrawList()),
        origin_(origin),
        items_(stageItems(panel.view.step, panel.trace.config(), panel.view)) {
    const float room = barRoom();
    places_ = layoutStage(items_, size.x - room, size.y, metrics(false));
    if (columnLabelsTurn()) places_ = layoutStage(items_, size.x - room, size.y, metrics(true));
    findLit();
  }

  void draw() {
    batchHeatmaps();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].sign) {
        drawSign(items_[i], places_[i]);
      } else {
        drawMatrix(items_[i], places_[i]);
      }
    }
  }

 private:
  float barRoom() const { return colorBarWidth(look_) + look_.px(18); }

  /// Whether a token is wider than its column.
  bool columnLabelsTurn() const {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].sign || !isTokenLane(items_[i].colLane)) continue;
      const auto& tokens = laneTokens(trace_, items_[i].colLane, panel_.view.item);
      const float column = places_[i].width / static_cast<float>(items_[i].ref.shownCols());
      if (labelWidth(look_.fonts.small, tokens, look_.px(86)) > column - 3.0F) return true;
    }
    return false;
  }

  StageMetrics metrics(bool turned) const {
    const Index item = panel_.view.item;
    const float limit = look_.px(86);
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

  void findLit() {
    lit_.fill(-1);
    const ViewState& view = panel_.view;
    const auto set = [this](Lane lane, Index at) { lit_[static_cast<std::size_t>(lane)] = at; };
    if (view.hovered) {
      set(view.hovered->rowLane, view.hovered->row);
      set(view.hovered->colLane, view.hovered->col);
    } else if (view.selected) {
      for (const StageItem& item : items_) {
        Index row = 0;
        Index col = 0;
        if (item.sign || !item.ref.find(*view.selected, &row, &col)) continue;
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
      const StagePlace& p = places_[i];
      const MatrixRef& ref = items_[i].ref;
      const ColorScale scale = scaleOf(ref);
      gl::HeatmapQuad quad;
      quad.rect = {origin_.x + p.x, origin_.y + p.y, origin_.x + p.x + p.width,
                   origin_.y + p.y + p.height};
      quad.source = batch.sources.size();
      quad.low = scale.low;
      quad.high = scale.high;
      quad.colorMap = scale.map;
      quad.gap = look_.px(1);
      const float pixels = look_.scene.pixelsPerPoint;
      batch.sources.push_back(heatmapSource(trace_, ref, {p.width * pixels, p.height * pixels}));
      batch.quads.push_back(quad);
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

  void drawMatrix(const StageItem& item, const StagePlace& p) {
    const ImVec2 a(origin_.x + p.x, origin_.y + p.y);
    const ImVec2 b(a.x + p.width, a.y + p.height);
    const auto rows = static_cast<float>(item.ref.shownRows());
    const auto cols = static_cast<float>(item.ref.shownCols());
    const ImVec2 cell(p.width / cols, p.height / rows);

    drawTitle(item, a, p.width);
    list_->AddRect(a, b, look_.theme.panelBorder);
    drawNumbers(item, a, cell);
    drawLabels(item, a, b, cell);
    drawOutline(item, a, b, cell);
    drawLit(item, a, b, cell);
    if (item.result && !item.ref.maskOnly) {
      const float height = std::max(p.height, look_.px(44));
      colorBar(look_, scaleOf(item.ref), {b.x + look_.px(18), a.y + (p.height - height) * 0.5F},
               height);
    }
    pickUnderMouse(item, a, b, cell);
  }

  void drawTitle(const StageItem& item, ImVec2 a, float width) {
    const Shape shape{item.ref.shownRows(), item.ref.shownCols()};
    ImFont* small = look_.fonts.monoSmall;
    const std::string shapeText = item.ref.maskOnly ? "" : toString(shape);
    const ImVec2 symbol = richTextSize(look_.fonts, look_.fonts.semibold, item.text);
    const ImVec2 dims = textSize(small, shapeText);
    const float gap = look_.px(6);
    const float x = a.x + (width - symbol.x - gap - dims.x) * 0.5F;
    const float y = a.y - look_.px(8) - symbol.y;
    drawRichText(list_, look_.fonts, look_.fonts.semibold, {x, y},
                 inkColor(look_.theme, item.ink, panel_.view.head), item.text);
    drawText(list_, small, {x + symbol.x + gap, y + (symbol.y - dims.y) * 0.6F},
             look_.theme.textMuted, shapeText);
  }

  void drawNumbers(const StageItem& item, ImVec2 a, ImVec2 cell) {
    if (item.ref.maskOnly || cell.y < fontSize(look_.fonts.monoSmall) + 2.0F) return;
    const ColorScale scale = scaleOf(item.ref);
    ImFont* font = look_.fonts.monoSmall;
    const auto fits = [&](int digits) {
      const std::string widest = cellNumber(scale.diverging ? -scale.high : 1.0, digits);
      return textSize(font, widest).x + look_.px(3) <= cell.x;
    };
    int decimals = scale.diverging ? cellDecimals(scale.high) : 2;
    if (!fits(decimals) && decimals > 1 && scale.high >= 1.0F) --decimals;
    if (!fits(decimals)) return;
    const MatrixRef& ref = item.ref;
    for (Index r = 0; r < ref.shownRows(); ++r) {
      for (Index c = 0; c < ref.shownCols(); ++c) {
        const CellRef at = ref.cell(r, c);
        const float value = trace_.value(at);
        const bool hidden =
            showsMasked(ref.tensor) &&
            !allowedKeys(trace_.config().mask, at.item, at.row, trace_.config().keys())(at.col);
        const ImVec2 centre(a.x + (static_cast<float>(c) + 0.5F) * cell.x,
                            a.y + (static_cast<float>(r) + 0.5F) * cell.y);
        const ImU32 ink =
            hidden ? look_.theme.textMuted : legibleOn(scale.color(look_.maps, value));
        drawTextCentred(list_, font, centre, ink, cellNumber(value, decimals));
      }
    }
  }

  void drawLabels(const StageItem& item, ImVec2 a, ImVec2 b, ImVec2 cell) {
    const Theme& t = look_.theme;
    const Index batchItem = panel_.view.item;
    const auto style = [&](Lane lane, Index offset, Index count) {
      return LabelStyle{look_.fonts.small, t.text, lane == Lane::query ? t.queryText : t.keyText,
                        litAt(lit_, lane, offset, count)};
    };
    const bool bothTokens = isTokenLane(item.rowLane) && isTokenLane(item.colLane);
    if (isTokenLane(item.rowLane)) {
      const auto& tokens = laneTokens(trace_, item.rowLane, batchItem);
      const LabelStyle s = style(item.rowLane, item.rowOffset, item.ref.shownRows());
      drawRowLabels(list_, tokens, {a.x - look_.px(7), a.y}, cell.y, look_.px(86), s);
      if (bothTokens) {
        const float room = labelWidth(look_.fonts.small, tokens, look_.px(86));
        const char* name = "query";
        const float length = textSize(look_.fonts.small, name).x;
        drawTurnedText(list_, look_.fonts.small,
                       {a.x - room - look_.px(26), (a.y + b.y + length) * 0.5F}, t.textMuted, name,
                       -90.0F);
      }
    }
    if (isTokenLane(item.colLane)) {
      const auto& tokens = laneTokens(trace_, item.colLane, batchItem);
      const float room = labelWidth(look_.fonts.small, tokens, look_.px(86)) * 0.72F;
      const LabelStyle s = style(item.colLane, item.colOffset, item.ref.shownCols());
      drawColumnLabels(list_, tokens, {a.x, b.y + look_.px(5)}, cell.x, room + look_.px(10), s);
      if (bothTokens) {
        const char* name = "key →";
        drawText(list_, look_.fonts.small, {b.x + look_.px(8), b.y + look_.px(3)}, t.textMuted,
                 name);
      }
    }
  }

  void drawOutline(const StageItem& item, ImVec2 a, ImVec2 b, ImVec2 cell) {
    if (item.outlinedTo <= item.outlinedFrom) return;
    const ImU32 color = headColor(look_.theme, static_cast<std::size_t>(panel_.view.head));
    const auto from = static_cast<float>(item.outlinedFrom);
    const auto to = static_cast<float>(item.outlinedTo);
    const ImVec2 p =
        item.outlineRows ? ImVec2(a.x, a.y + from * cell.y) : ImVec2(a.x + from * cell.x, a.y);
    const ImVec2 q =
        item.outlineRows ? ImVec2(b.x, a.y + to * cell.y) : ImVec2(a.x + to * cell.x, b.y);
    list_->AddRect({p.x - 1, p.y - 1}, {q.x + 1, q.y + 1}, color, 0, 0, look_.px(2));
  }

  void drawLit(const StageItem& item, ImVec2 a, ImVec2 b, ImVec2 cell) {
    const Theme& t = look_.theme;
    const Index row = litAt(lit_, item.rowLane, item.rowOffset, item.ref.shownRows());
    const Index col = litAt(lit_, item.colLane, item.colOffset, item.ref.shownCols());
    // a band at least a few points wide, so that one of 768 columns is seen
    const auto band = [&](float from, float length, float least) {
      const float grow = std::max(0.0F, least - length) * 0.5F;
      return ImVec2(from - grow, from + length + grow);
    };
    const float least = look_.px(4);
    const ImVec2 y = band(a.y + static_cast<float>(row) * cell.y, cell.y, least);
    const ImVec2 x = band(a.x + static_cast<float>(col) * cell.x, cell.x, least);
    const float line = look_.px(2);
    if (row >= 0 && (col < 0 || item.colLane == Lane::inner || item.colLane == Lane::column)) {
      const ImU32 color = item.rowLane == Lane::query ? t.queryText : t.keyText;
      list_->AddRect({a.x - 1, y.x}, {b.x + 1, y.y}, color, 0, 0, line);
    }
    if (col >= 0 && (row < 0 || item.rowLane == Lane::inner)) {
      const ImU32 color = item.colLane == Lane::key ? t.keyText : t.accent;
      list_->AddRect({x.x, a.y - 1}, {x.y, b.y + 1}, color, 0, 0, line);
    }
    if (row >= 0 && col >= 0) list_->AddRect({x.x, y.x}, {x.y, y.y}, t.text, 0, 0, line);
  }

  void pickUnderMouse(const StageItem& item, ImVec2 a, ImVec2 b, ImVec2 cell) {
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(a, b)) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto at = [](float offset, float length, Index count) {
      return std::clamp<Index>(static_cast<Index>(offset / length), 0, count - 1);
    };
    const Index row = at(mouse.y - a.y, cell.y, item.ref.shownRows());
    const Index col = at(mouse.x - a.x, cell.x, item.ref.shownCols());
    const CellRef found = item.ref.cell(row, col);
    found_ = Hover{found, item.rowLane, item.colLane, row + item.rowOffset, col + item.colOffset};
    if (item.ref.maskOnly) {
      const std::string why = whyForbidden(trace_.config().mask, found.item, found.row, found.col);
      ImGui::SetTooltip("%s", why.empty() ? "allowed: adds 0" : ("−∞: " + why).c_str());
    } else {
      ImGui::SetTooltip("%s = %s\n%s", cellName(trace_, found).c_str(),
                        number(trace_.value(found), 6).c_str(), tooltipDetail(found).c_str());
    }
    if (ImGui::IsMouseClicked(0)) panel_.view.selected = found;
  }

  std::string tooltipDetail(const CellRef& cell) const {
    const TensorInfo& t = info(cell.tensor);
    std::string text = toString(cell);
    const Input& input = *trace_.document().input;
    if (cell.tensor == TensorId::x && cell.col < static_cast<Index>(input.coordinates.size())) {
      text += " · " + input.coordinates[static_cast<std::size_t>(cell.col)];
    }
    if (t.perHead) text += fmt::format(" · head {}", panel_.view.head + 1);
    return text;
  }

 public:
  std::optional<Hover> found() const { return found_; }

 private:
  const Panel& panel_;
  const Look& look_;
  const Trace& trace_;
  StageMemory& memory_;
  ImDrawList* list_;
  ImVec2 origin_;
  std::vector<StageItem> items_;
  std::vector<StagePlace> places_;
  Lit lit_{};
  std::optional<Hover> found_;
};

void arithmeticStrip(const Panel& panel, StageMemory& memory, ImVec2 at, ImVec2 size) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, t.accentSoft, look.px(6));
  const float pad = look.px(12);
  const float lineHeight = fontSize(look.fonts.mono) + look.px(5);
  const int lines = size.y > 2 * lineHeight ? 2 : 1;
  ImVec2 pen(at.x + pad,
             at.y + (size.y - static_cast<float>(lines) * lineHeight) * 0.5F + look.px(2));
  const auto& shown =
      panel.view.hovered ? std::optional(panel.view.hovered->cell) : panel.view.selected;
  if (!shown || !exists(*shown, panel.trace.config())) {
    drawText(
        list, look.fonts.small, pen, t.textMuted,
        elided(look.fonts.small, "Point at a cell to see its arithmetic; click to keep it here.",
               size.x - 2 * pad));
    return;
  }
  const auto terms =
      static_cast<std::size_t>(std::clamp((size.x - look.px(520)) / look.px(130), 1.0F, 6.0F));
  if (memory.explainedPass != panel.trace.pass() || !(memory.explained == *shown) ||
      memory.explainedTerms != terms) {
    memory.arithmetic = arithmetic(panel.trace, *shown, terms);
    memory.explained = *shown;
    memory.explainedPass = panel.trace.pass();
    memory.explainedTerms = terms;
  }
  const Arithmetic& a = memory.arithmetic;
  drawText(list, look.fonts.mono, pen, t.accentText, a.name);
  const float indent = textSize(look.fonts.mono, a.name + " ").x;
  const float room = size.x - 2 * pad - indent;
  drawText(list, look.fonts.mono, {pen.x + indent, pen.y}, t.text,
           elided(look.fonts.mono, a.sum, room));
  if (lines < 2) return;
  drawText(list, look.fonts.mono, {pen.x + indent, pen.y + lineHeight}, t.textMuted,
           elided(look.fonts.mono, a.next, room));
}

/// The row of switches at the right of the heading.
void stageChoices(const Panel& panel) {
  ViewState& view = panel.view;
  const Look& look = panel.look;
  const bool parts = view.step == StepId::project || view.step == StepId::split;
  const bool scopes = view.step != StepId::output && view.step != StepId::concat;
  const ImGuiStyle& style = ImGui::GetStyle();
  const auto widthOf = [&](const char* text) {
    return textSize(look.fonts.regular, text).x + style.FramePadding.x * 2 + look.px(4);
  };
  float width = 0.0F;
  if (parts) width += widthOf("Q") + widthOf("K") + widthOf("V") + look.px(12);
  if (scopes) width += widthOf("this head") + widthOf("all heads");
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

}  // namespace

void stagePanel(const Panel& panel, StageMemory& memory) {
  ViewState& view = panel.view;
  const Look& look = panel.look;
  const Step& current = step(view.step);
  const StepText text = current.text(panel.trace.config());
  const ImVec2 top = ImGui::GetCursorPos();
  const bool grid = view.scope == StageScope::allHeads && perHeadResult(view.step, view);
  const bool perHead = !grid && view.step != StepId::output;
  heading(look, fmt::format("Step {} · {}", static_cast<int>(view.step) + 1, text.title).c_str(),
          perHead ? fmt::format("{}, head {}", text.sentence, view.head + 1).c_str()
                  : std::string(text.sentence).c_str());
  const ImVec2 below = ImGui::GetCursorPos();
  stageChoices(panel);
  ImGui::SetCursorPos({top.x, below.y + look.px(4)});

  if (grid) {
    headGrid(panel, memory.magnitudes, *perHeadResult(view.step, view));
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float strip = look.px(room.y > look.px(210) ? 54 : 32);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  Stage stage(panel, memory, origin, {room.x, room.y - strip - look.px(6)});
  stage.draw();
  arithmeticStrip(panel, memory, {origin.x, origin.y + room.y - strip}, {room.x, strip});
  view.hovered = stage.found();
}

}  // namespace headscope::ui
