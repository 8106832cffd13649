#include "app/ui/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/axis_labels.h"
#include "app/ui/cell_value.h"
#include "app/ui/compat.h"
#include "app/ui/designed_words.h"
#include "app/ui/glossary.h"
#include "app/ui/heads/head_rows.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"
#include "core/steps/step.h"
#include "core/words/arithmetic.h"

namespace headscope::ui {
namespace {

/// The cell looked at: typed into here, under the mouse, else clicked, else the first.
CellRef shownCell(const Panel& panel, const CellEditing& editing) {
  const AttentionConfig& c = panel.trace.config();
  if (editing.typing == TypingPlace::inspector && exists(editing.typedAt, c)) {
    return editing.typedAt;
  }
  CellRef cell{TensorId::weights, panel.view.item, panel.view.head, 0, 0};
  const auto& chosen =
      panel.view.hovered ? std::optional(panel.view.hovered->cell) : panel.view.selected;
  return chosen && exists(*chosen, c) ? *chosen : cell;
}

/// The query the inspector speaks of: the shown cell's row where its rows are queries.
Index shownQuery(const CellRef& cell) {
  return info(cell.tensor).rows == Axis::query ? cell.row : 0;
}

void caption(const Look& look, std::string_view text) {
  ImGui::Dummy({1, look.px(2)});
  label(look.fonts.small, look.theme.textMuted, text);
}

void divider(const Look& look) {
  ImGui::Dummy({1, look.px(4)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y},
                                      look.theme.divider);
  ImGui::Dummy({1, look.px(4)});
}

/// A bar per key, full from 1 on (a pin may be any number); where they do not all fit, the largest,
/// and says so.
void weightBars(const Panel& panel, Index item, Index head, Index query, float most) {
  const Look& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  std::vector<float> row(static_cast<std::size_t>(c.keys()));
  panel.trace.tile(TensorId::weights, item, head, query, 1, 0, c.keys(), row.data());
  const float line = look.px(19);
  const auto fit = std::max<std::size_t>(2, static_cast<std::size_t>(most / line));
  std::vector<Index> order(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) order[i] = static_cast<Index>(i);
  const bool cut = row.size() > fit;
  if (cut) {
    const auto kept = static_cast<std::ptrdiff_t>(fit - 1);
    std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](Index a, Index b) {
      return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
    });
    order.resize(static_cast<std::size_t>(kept));
  }
  const auto& tokens = laneTokens(panel.trace, Lane::key, item);
  const float labels = look.px(74);
  const float width = ImGui::GetContentRegionAvail().x - labels - look.px(52);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ColorMap& map = look.maps[ColorMaps::sequential(panel.view.colorMaps, look.theme.kind)];
  for (const Index key : order) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string name =
        key < static_cast<Index>(tokens.size())
            ? elided(look.fonts.small, shownToken(tokens[static_cast<std::size_t>(key)]),
                     labels - look.px(8))
            : std::to_string(key);
    const ImVec2 size = textSize(look.fonts.small, name);
    const float middle = at.y + line * 0.5F;
    drawText(list, look.fonts.small, {at.x + labels - look.px(8) - size.x, middle - size.y * 0.5F},
             look.theme.text, name);
    const float value = row[static_cast<std::size_t>(key)];
    const float length = std::max(width * std::clamp(value, 0.0F, 1.0F), look.px(1.5F));
    const float half = look.px(6.5F);
    const ImVec2 a(at.x + labels, middle - half);
    const ImVec2 b(a.x + length, middle + half);
    list->AddRectFilled(a, b, map.at(std::max(value, 0.12F)), look.px(2));
    drawText(list, look.fonts.monoSmall,
             {b.x + look.px(6), middle - fontSize(look.fonts.monoSmall) * 0.5F},
             look.theme.textMuted,
             isHidden(panel.trace, {TensorId::weights, item, head, query, key})
                 ? "masked"
                 : number(value, value < 0.01F ? 2 : 3));
    ImGui::Dummy({1, line});
    ImGui::SetCursorScreenPos({at.x, at.y + line});
  }
  if (cut) {
    label(look.fonts.small, look.theme.textMuted,
          fmt::format("the {} largest of {} keys", order.size(), row.size()));
  }
}

/// Up and down bars of a vector; columns that fall on one point show the largest of them.
void vectorBars(const Panel& panel, TensorId tensor, Index item, Index head, Index row,
                float magnitude) {
  const Look& look = panel.look;
  const Index dK = panel.trace.config().dK();
  std::vector<float> values(static_cast<std::size_t>(dK));
  panel.trace.tile(tensor, item, head, row, 1, 0, dK, values.data());
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = look.px(52);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float middle = at.y + height * 0.5F;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto columns = std::min<Index>(dK, static_cast<Index>(width / look.px(2)));
  const float step = width / static_cast<float>(columns);
  const ColorScale scale = colorScale(look, panel.view, tensor, magnitude);
  for (Index i = 0; i < columns; ++i) {
    float value = 0.0F;
    for (Index j = i * dK / columns; j < (i + 1) * dK / columns; ++j) {
      const float v = values[static_cast<std::size_t>(j)];
      if (std::abs(v) > std::abs(value)) value = v;
    }
    const float reach = value / scale.high * height * 0.5F;
    const float x = at.x + static_cast<float>(i) * step;
    const float strong = value / scale.high * 0.85F + (value > 0 ? 0.15F : -0.15F);
    list->AddRectFilled({x, std::min(middle, middle - reach)},
                        {x + std::max(step - look.px(1), 1.0F), std::max(middle, middle - reach)},
                        scale.color(look.maps, strong * scale.high));
  }
  list->AddLine({at.x, middle}, {at.x + width, middle}, look.theme.divider);
  ImGui::Dummy({width, height});
}

constexpr int kCodeLines = 3;

float pytorchHeight(const Look& look) {
  return (fontSize(look.fonts.monoSmall) + look.px(6)) * kCodeLines + look.px(14);
}

/// The step's line between its neighbours.
void pytorchLines(const Panel& panel) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const auto steps = stepsOf(panel.trace.config());
  const auto now = static_cast<int>(stepPlace(panel.view.step, panel.trace.config()));
  const float line = fontSize(look.fonts.monoSmall) + look.px(6);
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const int from = std::clamp(now - 1, 0, static_cast<int>(steps.size()) - kCodeLines);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = pytorchHeight(look);
  list->AddRectFilled(at, {at.x + width, at.y + height}, t.field, look.px(5));
  for (int i = 0; i < kCodeLines; ++i) {
    const Step& s = *steps[static_cast<std::size_t>(from + i)];
    const std::string text = s.text(panel.trace.config()).pytorch;
    const ImU32 color = from + i == now ? t.accentText : t.textMuted;
    drawText(list, look.fonts.monoSmall,
             {at.x + look.px(9), at.y + look.px(8) + line * static_cast<float>(i)}, color,
             elided(look.fonts.monoSmall, text, width - look.px(16)));
  }
  ImGui::Dummy({width, height});
  tip(look, step(panel.view.step).text(panel.trace.config()).pytorch);
}

}  // namespace

void inspectorPanel(const Panel& panel, Magnitudes& magnitudes, CellEditing& editing,
                    const MeasuredHeads& heads) {
  const Look& look = panel.look;
  const CellRef cell = shownCell(panel, editing);
  const Index query = shownQuery(cell);
  const TensorInfo& t = info(cell.tensor);
  const Index item = t.perItem ? cell.item : panel.view.item;
  const Index head = t.perHead && !t.kvHeads ? cell.head : panel.view.head;
  const auto& queries = laneTokens(panel.trace, Lane::query, item);
  const std::string token = query < static_cast<Index>(queries.size())
                                ? std::string(shownToken(queries[static_cast<std::size_t>(query)]))
                                : std::to_string(query);
  const std::string title = designedTitle(panel, head);
  caption(look, elided(look.fonts.small,
                       fmt::format("head {}{} · query '{}'", head + 1,
                                   title.empty() ? "" : fmt::format(" ({})", title), token),
                       ImGui::GetContentRegionAvail().x));
  if (const auto about = designedExplanation(panel, head); !about.empty()) tip(look, about);
  caption(look,
          elided(look.fonts.small, cellName(panel.trace, cell), ImGui::GetContentRegionAvail().x));
  cellValue(panel, magnitudes, editing, cell);
  divider(look);

  // the bars take what the head's figures, the vector and the lines of PyTorch leave
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  const float captionHeight = fontSize(look.fonts.small) + look.px(2) + 2 * spacing;
  const float dividerHeight = look.px(8) + 2 * spacing;
  const float code = captionHeight + pytorchHeight(look) + spacing;
  const float vector = captionHeight + look.px(52) + spacing;
  const float room = ImGui::GetContentRegionAvail().y;
  const HeadRowsLength said = room - code > look.px(330)   ? HeadRowsLength::whole
                              : room - code > look.px(170) ? HeadRowsLength::brief
                                                           : HeadRowsLength::none;
  const float figures =
      said == HeadRowsLength::none ? 0.0F : headRowsHeight(look, said) + dividerHeight;
  const bool showsVector = room - code - figures - vector > look.px(190);
  const float bars =
      room - code - figures - (showsVector ? vector : 0.0F) - captionHeight - dividerHeight;
  if (bars > look.px(36)) {
    caption(look, fmt::format("row '{}' after softmax", token));
    explainItem(look, look.fonts.small, "softmax");
    weightBars(panel, item, head, query, bars);
    divider(look);
  }
  if (said != HeadRowsLength::none) {
    headRows(panel, head, heads.figures, heads.measuring, said);
    divider(look);
  }
  if (showsVector) {
    const AttentionConfig& c = panel.trace.config();
    const float magnitude = magnitudes.of(panel.trace, TensorId::q, item, head);
    caption(look, elided(look.fonts.small,
                         fmt::format("query vector of '{}', {} values, ±{}", token, c.dK(),
                                     number(magnitude, 3)),
                         ImGui::GetContentRegionAvail().x));
    explainItem(look, look.fonts.small, "query");
    vectorBars(panel, TensorId::q, item, head, query, magnitude);
  }
  caption(look, "In PyTorch");
  pytorchLines(panel);
}

}  // namespace headscope::ui
