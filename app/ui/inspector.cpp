// Inspector: the inspected cell with its value and derivation, its row, the head's figures, and the
// step in PyTorch; next to it the history and the scenes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "app/ui/cells/cell_focus.h"
#include "app/ui/cells/cell_value.h"
#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/flow_page.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/figures.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/tab_row.h"
#include "app/ui/parts/token_pictures.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

/// The inspected cell: the one typed into here, else chosen, else under the mouse, else the first.
CellRef inspectedCell(const PanelContext& panel, const CellEditing& editing) {
  const AttentionConfig& c = panel.trace.config();
  if (editing.typing == TypingPlace::inspector && exists(editing.typedAt, c)) {
    return editing.typedAt;
  }
  const auto chosen = explainedCell(panel.view);
  return chosen && exists(*chosen, c)
             ? *chosen
             : CellRef{TensorId::weights, panel.selection.item, panel.selection.head, 0, 0};
}

/// The subject of the inspector.
struct Inspected {
  CellRef cell;
  Index item, head, query;  // the cell's, else the view's item and head, and query 0
  std::string token;        // of the query
};

Inspected inspected(const PanelContext& panel, const CellEditing& editing) {
  const CellRef cell = inspectedCell(panel, editing);
  const TensorInfo& t = info(cell.tensor);
  const Index item = t.perItem ? cell.item : panel.selection.item;
  const Index query = t.rows == Axis::query ? cell.row : 0;
  return {cell, item, t.perHead && !t.kvHeads ? cell.head : panel.selection.head, query,
          placeName(panel.trace, Axis::query, item, query)};
}

void inspectorCaption(const FrameContext& look, std::string_view text) {
  ImGui::Dummy({1, look.space.thin});
  label(look.fonts.small, look.theme.textMuted,
        wholeParts(look.fonts.small, text, ImGui::GetContentRegionAvail().x));
}

void inspectorDivider(const FrameContext& look) {
  ImGui::Dummy({1, look.space.tight});
  const Rect rest = Rect::rest();
  ImGui::GetWindowDrawList()->AddLine(rest.a, {rest.b.x, rest.a.y}, look.theme.divider);
  ImGui::Dummy({1, look.space.tight});
}

/// The indices of all values, or, where they do not all `fit`, of the largest, leaving one line for
/// a note.
std::vector<Index> largestPlaces(const std::vector<float>& values, std::size_t fit) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (order.size() <= fit) return order;
  const auto kept = static_cast<std::ptrdiff_t>(fit - 1);
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](Index a, Index b) {
    return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
  });
  order.resize(static_cast<std::size_t>(kept));
  return order;
}

/// Draws a bar per key, full at the largest weight the head may have (1 without pins and dropout).
/// Where not all fit, draws the largest and notes it.
void weightBars(const PanelContext& panel, const Inspected& of, float most) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  std::vector<float> row(static_cast<std::size_t>(panel.trace.config().keys()));
  panel.trace.tile(TensorId::weights, of.item, of.head, of.query, 1, 0, std::ssize(row),
                   row.data());
  const float line = look.px(19);
  std::vector<Index> order =
      largestPlaces(row, std::max<std::size_t>(2, static_cast<std::size_t>(most / line)));
  const auto masked = [&](Index key) {
    return isHidden(panel.trace, {TensorId::weights, of.item, of.head, of.query, key});
  };
  const std::size_t listed = order.size();
  if (listed < row.size()) std::erase_if(order, masked);  // their number says enough
  const WeightRange range = weightRange(panel.trace, of.item, of.head);
  const float full = range.magnitude();
  const ColorScale scale = weightScale(look, range);
  Rect room = Rect::at(ImGui::GetCursorScreenPos(),
                       {ImGui::GetContentRegionAvail().x, line * static_cast<float>(order.size())});
  ImGui::Dummy(room.size());
  ImGui::SetCursorScreenPos({room.a.x, room.b.y});
  for (const Index key : order) {
    const float value = row[static_cast<std::size_t>(key)];
    const bool hidden = masked(key);
    Rect place = room.cutTop(line);
    patchAtStart(look, ImGui::GetWindowDrawList(), panel.trace.document().input->x, key, place);
    drawBarLine(
        look, ImGui::GetWindowDrawList(), place, look.px(66), look.px(46),
        {placeName(panel.trace, Axis::key, of.item, key),
         hidden ? "masked" : number(value, std::abs(value) < 0.01F ? 2 : 3),
         hidden ? 0.0F : std::abs(value) / full,
         scale.color(look.maps, std::copysign(std::max(std::abs(value), 0.12F * full), value)),
         t.text, t.textMuted});
  }
  if (order.size() < listed) {
    label(look.fonts.small, t.textMuted,
          trFormat("the other {} of {} keys are masked",
                   withThousands(std::ssize(row) - std::ssize(order)),
                   withThousands(std::ssize(row))));
  } else if (order.size() < row.size()) {
    label(look.fonts.small, t.textMuted,
          trFormat("the {} largest of {} keys", order.size(), withThousands(std::ssize(row))));
  }
}

float vectorHeight(const FrameContext& look) { return look.px(52); }

/// Draws the query vector as bars up and down; columns that share a bar show the largest of them.
void queryVector(const PanelContext& panel, const Inspected& of, float magnitude) {
  const FrameContext& look = panel.look;
  std::vector<float> values(static_cast<std::size_t>(panel.trace.config().dK()));
  panel.trace.tile(TensorId::q, of.item, of.head, of.query, 1, 0, std::ssize(values),
                   values.data());
  const Rect room =
      Rect::at(ImGui::GetCursorScreenPos(), {ImGui::GetContentRegionAvail().x, vectorHeight(look)});
  ImGui::Dummy(room.size());
  const ColorScale scale = divergingScale(look, magnitude);
  const Chart chart(look, {.room = room, .x = {}, .y = {scale.low, scale.high}, .yTicks = false});
  const ChartBars bars = ChartBars::fitting(std::ssize(values), room.width(), look.space.thin);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (Index bar = 0; bar < bars.count(); ++bar) {
    const auto largest =
        std::max_element(values.begin() + bars.begin(bar), values.begin() + bars.end(bar),
                         [](float a, float b) { return std::abs(a) < std::abs(b); });
    // gives small ones a colour that is visible on the panel
    const float strong = *largest * 0.85F + (*largest > 0 ? 0.15F : -0.15F) * scale.high;
    chart.bar(list, bar, bars.count(), 0, *largest, scale.color(look.maps, strong));
  }
  const ImVec2 from = chart.at(0, 0), to = chart.at(1, 0);
  list->AddLine(from, to, look.theme.divider);
}

constexpr std::size_t kCodeLines = 3;

float codeLineHeight(const FrameContext& look) {
  return fontSize(look.fonts.monoSmall) + look.space.small;
}
float pytorchHeight(const FrameContext& look) {
  return codeLineHeight(look) * static_cast<float>(kCodeLines) + look.space.large;
}

/// Returns as many of a step's statements as fit on a line, at least the first.
std::string statementsIn(ImFont* font, const std::vector<std::string>& statements, float width) {
  std::string line;
  for (const std::string& each : statements) {
    const std::string longer = line.empty() ? each : line + "; " + each;
    if (!line.empty() && textSize(font, longer).x > width) break;
    line = longer;
  }
  return line;
}

/// Returns where the last call that begins within the width begins: at its point; 0: nowhere.
std::size_t lastCallWithin(ImFont* font, const std::string& code, float width) {
  std::size_t end = code.rfind('.');
  while (end != std::string::npos && end > 0 && textSize(font, code.substr(0, end)).x > width) {
    end = code.rfind('.', end - 1);
  }
  return end == std::string::npos ? 0 : end;
}

/// Returns where the last argument that begins within the width begins; 0: nowhere.
std::size_t lastArgumentWithin(ImFont* font, const std::string& code, float width) {
  for (std::size_t at = code.rfind(", "); at != std::string::npos && at > 0;
       at = code.rfind(", ", at - 1)) {
    if (textSize(font, code.substr(0, at + 1)).x <= width) return at + 2;
  }
  return 0;
}

/// Breaks code before calls, or else arguments, into lines of this width; the later ones are
/// indented. An argument that is longer than a line is cut.
std::vector<std::string> brokenCode(ImFont* font, std::string code, float width) {
  std::vector<std::string> lines;
  std::string indent;
  while (true) {
    const float room = width - textSize(font, indent).x;
    const bool fits = textSize(font, code).x <= room;
    std::size_t end = fits ? 0 : lastCallWithin(font, code, room);
    if (!fits && end == 0) end = lastArgumentWithin(font, code, room);
    if (end == 0) {
      lines.push_back(indent + elided(font, code, room));
      return lines;
    }
    lines.push_back(indent + code.substr(0, end));
    code.erase(0, end);
    indent = "  ";
  }
}

/// Draws the PyTorch lines of the step, and those of the steps before and after it that have room.
void pytorchLines(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const auto steps = stepsOf(c);
  const Rect at = Rect::at(ImGui::GetCursorScreenPos(),
                           {ImGui::GetContentRegionAvail().x, pytorchHeight(look)});
  ImGui::GetWindowDrawList()->AddRectFilled(at.a, at.b, t.field, look.px(5));
  const Rect inner = at.inset(look.px(8));
  ImFont* mono = look.fonts.monoSmall;
  const auto linesOf = [&](std::size_t place) {
    return brokenCode(mono, statementsIn(mono, steps[place]->text(c).pytorch, inner.width()),
                      inner.width());
  };
  const std::size_t now = stepPlace(panel.selection.step, c);
  std::vector<std::string> lines = linesOf(now);
  std::size_t first = 0, last = lines.size();  // of the step's own lines
  const auto addIfRoom = [&](std::size_t place, bool before) {
    const std::vector<std::string> more = linesOf(place);
    if (lines.size() + more.size() > kCodeLines) return false;
    lines.insert(before ? lines.begin() : lines.end(), more.begin(), more.end());
    first += before ? more.size() : 0;
    last += before ? more.size() : 0;
    return true;
  };
  if (now > 0) addIfRoom(now - 1, true);
  for (std::size_t after = now + 1; after < steps.size() && addIfRoom(after, false);) ++after;
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), kCodeLines); ++i) {
    drawText(ImGui::GetWindowDrawList(), mono,
             inner.row(static_cast<int>(i), static_cast<int>(kCodeLines), 0.0F).a,
             first <= i && i < last ? t.accentText : t.textMuted, lines[i]);
  }
  ImGui::Dummy(at.size());
  tip(look, step(panel.selection.step).text(c).pytorchLine());
}

/// The division of the height below the value: the bars take the rest after the head's figures, the
/// vector and the lines of PyTorch.
struct InspectorRoom {
  HeadRowsLength figures = HeadRowsLength::none;
  bool vector = false;
  float bars = 0.0F;

  InspectorRoom(const FrameContext& look, float room) {
    const float spacing = ImGui::GetStyle().ItemSpacing.y;
    const float caption = fontSize(look.fonts.small) + look.space.thin + 2 * spacing;
    const float divider = 2 * look.space.tight + 2 * spacing;
    room -= caption + pytorchHeight(look) + spacing;
    figures = room > look.px(330)   ? HeadRowsLength::whole
              : room > look.px(170) ? HeadRowsLength::brief
                                    : HeadRowsLength::none;
    if (figures != HeadRowsLength::none) room -= headRowsHeight(look, figures) + divider;
    const float ofVector = caption + vectorHeight(look) + spacing;
    vector = room - ofVector > look.px(190);
    bars = room - (vector ? ofVector : 0.0F) - caption - divider;
  }
};

void inspector(const PanelContext& panel, CellEditing& editing) {
  const FrameContext& look = panel.look;
  const Inspected of = inspected(panel, editing);
  const std::string title = purposeTitle(panel.purposes, of.head).empty()
                                ? std::string()
                                : inOneLine(captionHere(panel, measuredHeads(panel), of.head));
  inspectorCaption(look, trFormat("head {}{} · query '{}'", of.head + 1,
                                  title.empty() ? "" : fmt::format(" ({})", title), of.token));
  if (const auto about = purposeExplanation(panel, of.head); !about.empty()) tip(look, about);
  inspectorCaption(look, cellName(panel.trace, of.cell));
  cellValue(panel, panel.magnitudes, editing, of.cell);
  inspectorDivider(look);

  const InspectorRoom room(look, ImGui::GetContentRegionAvail().y);
  if (room.bars > look.px(36)) {
    inspectorCaption(look, trFormat("row '{}' after softmax", of.token));
    explainItem(look, look.fonts.small, "softmax");
    weightBars(panel, of, room.bars);
    inspectorDivider(look);
  }
  if (room.figures != HeadRowsLength::none) {
    headRows(panel, of.head, measuredHeads(panel), room.figures);
    inspectorDivider(look);
  }
  if (room.vector) {
    const float magnitude = panel.magnitudes.of(panel.trace, TensorId::q, of.item, of.head);
    inspectorCaption(look, trFormat("query vector of '{}', {} values, ±{}", of.token,
                                    panel.trace.config().dK(), number(magnitude, 3)));
    explainItem(look, look.fonts.small, "query");
    queryVector(panel, of, magnitude);
  }
  inspectorCaption(look, tr("In PyTorch"));
  pytorchLines(panel);
}

struct InspectorTabInfo {
  InspectorTab tab;
  const char* title;
  const char* about;
};

constexpr std::array kInspectorTabs{
    InspectorTabInfo{InspectorTab::cell, trLater("Inspector"), trLater("the cell looked at")},
    InspectorTabInfo{InspectorTab::history, trLater("History"),
                     trLater("every edit, to return to, and the pinned cells")},
    InspectorTabInfo{InspectorTab::scenes, trLater("Scenes"),
                     trLater("bookmarks of state and view: 1 to 9, ctrl+1 to 9")},
};

class InspectorCard final : public Card {
 public:
  InspectorCard(CellEditing& editing, ScenesPanel& scenes)
      : Card({.id = "inspector",
              .title = tr("Inspector"),
              .about = tr("the chosen cell, the history, the scenes"),
              .alone = false}),
        editing_(editing),
        scenes_(scenes) {}

  void draw(const PanelContext& panel) override {
    InspectorTab& open = panel.selection.inspectorTab;
    std::vector<Tab> tabs;
    int chosen = 0;
    for (const InspectorTabInfo& tab : kInspectorTabs) {
      if (tab.tab == open) chosen = static_cast<int>(tabs.size());
      tabs.push_back({tr(tab.title), tr(tab.about)});
    }
    const int clicked = tabRow(panel.look, "inspector tabs", tabs, chosen);
    if (clicked >= 0) open = kInspectorTabs[static_cast<std::size_t>(clicked)].tab;
    switch (open) {
      case InspectorTab::history:
        return historyPanel(panel);
      case InspectorTab::scenes:
        return scenesPanel(panel, scenes_);
      case InspectorTab::cell:
        return inspector(panel, editing_);
    }
  }
  std::vector<CardTab> tabs(const PanelContext& /*panel*/) const override {
    std::vector<CardTab> tabs;
    for (const InspectorTabInfo& each : kInspectorTabs) {
      tabs.push_back({tr(each.title), tr(each.about), [tab = each.tab](const PanelContext& panel) {
                        panel.selection.inspectorTab = tab;
                      }});
    }
    return tabs;
  }

 private:
  CellEditing& editing_;
  ScenesPanel& scenes_;
};

}  // namespace

std::unique_ptr<Card> makeInspectorCard(CellEditing& editing, ScenesPanel& scenes) {
  return std::make_unique<InspectorCard>(editing, scenes);
}

}  // namespace headscope::ui
