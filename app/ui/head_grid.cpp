#include "app/ui/head_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/arithmetic.h"
#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// Heads of a tensor: the key/value heads where it is k or v.
Index headCount(TensorId tensor, const AttentionConfig& c) {
  return info(tensor).kvHeads ? c.numKvHeads : c.numHeads;
}

/// A matrix of head `h` of the tensor itself (not of the query head that reads it).
MatrixRef headMatrix(TensorId tensor, const AttentionConfig& c, Index item, Index h) {
  MatrixRef ref = wholeMatrix(tensor, c, item, 0);
  ref.head = h;
  return ref;
}

/// Draws heatmaps of many heads in one batch; each knows its rectangle.
class Tiles {
 public:
  Tiles(const Panel& panel, Magnitudes& magnitudes, TensorId tensor)
      : panel_(panel),
        tensor_(tensor),
        scale_(colorScale(panel.look, panel.view, tensor,
                          tensor == TensorId::weights
                              ? 1.0F
                              : magnitudes.of(panel.trace, tensor, panel.view.item, -1))) {}

  void add(Index head, ImVec2 a, ImVec2 b) {
    const Look& look = panel_.look;
    const MatrixRef ref = headMatrix(tensor_, panel_.trace.config(), panel_.view.item, head);
    gl::HeatmapQuad quad;
    quad.rect = {a.x, a.y, b.x, b.y};
    quad.source = batch_.sources.size();
    quad.low = scale_.low;
    quad.high = scale_.high;
    quad.colorMap = scale_.map;
    quad.gap = look.px(1);
    const float pixels = look.scene.pixelsPerPoint;
    batch_.sources.push_back(
        heatmapSource(panel_.trace, ref, {(b.x - a.x) * pixels, (b.y - a.y) * pixels}));
    batch_.quads.push_back(quad);
  }

  void draw(ImDrawList* list) { addHeatmaps(list, panel_.look.scene, std::move(batch_)); }
  const ColorScale& scale() const { return scale_; }

  /// The cell under the mouse in a head's rectangle: its tooltip, and where it lies.
  std::optional<Hover> pick(Index head, ImVec2 a, ImVec2 b) const {
    if (!ImGui::IsMouseHoveringRect(a, b)) return std::nullopt;
    const MatrixRef ref = headMatrix(tensor_, panel_.trace.config(), panel_.view.item, head);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto at = [](float offset, float length, Index count) {
      return std::clamp<Index>(static_cast<Index>(offset / length * static_cast<float>(count)), 0,
                               count - 1);
    };
    const CellRef cell =
        ref.cell(at(mouse.y - a.y, b.y - a.y, ref.rows), at(mouse.x - a.x, b.x - a.x, ref.cols));
    ImGui::SetTooltip("%s = %s\nHead %lld · %s", cellName(panel_.trace, cell).c_str(),
                      number(panel_.trace.value(cell), 6).c_str(), static_cast<long long>(head + 1),
                      toString(cell).c_str());
    const bool scoreLike = info(tensor_).cols == Axis::key;
    return Hover{cell, info(tensor_).rows == Axis::query ? Lane::query : Lane::key,
                 scoreLike ? Lane::key : Lane::none, cell.row, cell.col};
  }

 private:
  const Panel& panel_;
  TensorId tensor_;
  ColorScale scale_;
  gl::HeatmapBatch batch_;
};

struct GridShape {
  Index columns = 1, rows = 1;
};

/// The grid whose tiles come out largest.
GridShape bestGrid(Index count, ImVec2 room, ImVec2 aspect, float titleHeight, float labels) {
  GridShape best;
  float bestSide = -1.0F;
  for (Index columns = 1; columns <= count; ++columns) {
    const Index rows = (count + columns - 1) / columns;
    const float w = room.x / static_cast<float>(columns) - labels;
    const float h = room.y / static_cast<float>(rows) - titleHeight;
    const float side = std::min(w / aspect.x, h / aspect.y);
    if (side > bestSide) {
      bestSide = side;
      best = {columns, rows};
    }
  }
  return best;
}

/// The columns of Q, K and V that are a head's.
std::string columnsOf(const AttentionConfig& c, Index head, float room, ImFont* font) {
  const Index first = head * c.dK();
  if (c.dK() == 1) return fmt::format("column {}", first);
  const std::string range = fmt::format("{}–{}", first, first + c.dK() - 1);
  const std::string whole = "columns " + range;
  return textSize(font, whole).x <= room ? whole : range;
}

void chooseHead(ViewState& view, TensorId tensor, const AttentionConfig& c, Index head) {
  view.head = info(tensor).kvHeads ? head * c.headsPerGroup() : head;
}

bool isChosen(const ViewState& view, TensorId tensor, const AttentionConfig& c, Index head) {
  return head == (info(tensor).kvHeads ? c.kvHead(view.head) : view.head);
}

}  // namespace

float colorBarWidth(const Look& look) { return look.px(70); }

void colorBar(const Look& look, const ColorScale& scale, ImVec2 at, float height) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = look.px(12);
  constexpr int kBands = 64;
  const ColorMap& map = look.maps[scale.map];
  for (int i = 0; i < kBands; ++i) {
    const float top = at.y + height * static_cast<float>(i) / kBands;
    const float bottom = at.y + height * static_cast<float>(i + 1) / kBands;
    const float t0 = 1.0F - static_cast<float>(i) / kBands;
    const float t1 = 1.0F - static_cast<float>(i + 1) / kBands;
    list->AddRectFilledMultiColor({at.x, top}, {at.x + width, bottom}, map.at(t0), map.at(t0),
                                  map.at(t1), map.at(t1));
  }
  list->AddRect(at, {at.x + width, at.y + height}, look.theme.panelBorder);
  ImFont* font = look.fonts.monoSmall;
  const float half = fontSize(font) * 0.5F;
  const auto mark = [&](float t, float value) {
    const float y = at.y + height * (1.0F - t);
    list->AddLine({at.x + width, y}, {at.x + width + look.px(3), y}, look.theme.textMuted);
    drawText(list, font, {at.x + width + look.px(6), y - half}, look.theme.textMuted,
             number(value, 3));
  };
  mark(0.0F, scale.low);
  mark(1.0F, scale.high);
  if (scale.diverging || height > look.px(80)) mark(0.5F, (scale.low + scale.high) * 0.5F);
}

void headGrid(const Panel& panel, Magnitudes& magnitudes, TensorId tensor) {
  const Look& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  ImDrawList* list = ImGui::GetWindowDrawList();
  Tiles tiles(panel, magnitudes, tensor);
  const Index count = headCount(tensor, c);

  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.x -= colorBarWidth(look) + look.px(14);
  const MatrixRef first = headMatrix(tensor, c, panel.view.item, 0);
  const bool scoreLike = info(tensor).cols == Axis::key;
  const ImVec2 aspect =
      scoreLike ? ImVec2(std::max<float>(
                             1.0F, static_cast<float>(first.cols) / static_cast<float>(first.rows)),
                         std::max<float>(
                             1.0F, static_cast<float>(first.rows) / static_cast<float>(first.cols)))
                : ImVec2(1.6F, 1.0F);
  const float gap = look.px(12);
  const float title = look.px(18);
  const auto& rowTokens = laneTokens(
      panel.trace, info(tensor).rows == Axis::query ? Lane::query : Lane::key, panel.view.item);
  const float labels =
      std::min(labelWidth(look.fonts.tiny, rowTokens, look.px(60)), look.px(60)) + look.px(5);
  const GridShape grid = bestGrid(count, room, aspect, title + gap, gap);
  const ImVec2 place(room.x / static_cast<float>(grid.columns),
                     room.y / static_cast<float>(grid.rows));
  const float cellSide = std::min((place.x - gap) / aspect.x, (place.y - gap - title) / aspect.y);
  // both axes are labelled where the tiles leave room for it
  const bool labelled = cellSide * aspect.y > look.px(70) && place.x > look.px(150);
  const float side = labelled ? std::min((place.x - gap - labels) / aspect.x,
                                         (place.y - gap - title - look.px(30)) / aspect.y)
                              : cellSide;
  const ImVec2 size(std::max(side * aspect.x, 2.0F), std::max(side * aspect.y, 2.0F));

  std::optional<Hover> hovered;
  for (Index h = 0; h < count; ++h) {
    const auto column = static_cast<float>(h % grid.columns);
    const auto row = static_cast<float>(h / grid.columns);
    const ImVec2 corner(origin.x + column * place.x, origin.y + row * place.y);
    const float inset = labelled ? labels : 0.0F;
    const ImVec2 a(corner.x + inset, corner.y + title);
    const ImVec2 b(a.x + size.x, a.y + size.y);
    tiles.add(h, a, b);
    if (ImGui::IsWindowHovered() && !hovered) hovered = tiles.pick(h, a, b);
  }
  tiles.draw(list);

  for (Index h = 0; h < count; ++h) {
    const auto column = static_cast<float>(h % grid.columns);
    const auto row = static_cast<float>(h / grid.columns);
    const ImVec2 corner(origin.x + column * place.x, origin.y + row * place.y);
    const ImVec2 a(corner.x + (labelled ? labels : 0.0F), corner.y + title);
    const ImVec2 b(a.x + size.x, a.y + size.y);
    const bool chosen = isChosen(panel.view, tensor, c, h);
    const ImU32 color = headColor(look.theme, static_cast<std::size_t>(h));
    const std::string name =
        size.x > look.px(46) ? fmt::format("Head {}", h + 1) : std::to_string(h + 1);
    drawText(list, size.x > look.px(46) ? look.fonts.small : look.fonts.tiny,
             {a.x, corner.y + look.px(1)}, color, name);
    list->AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, chosen ? color : look.theme.panelBorder,
                  0, 0, look.px(chosen ? 2.0F : 1.0F));
    if (labelled) {
      const LabelStyle style{look.fonts.tiny, look.theme.textMuted, look.theme.queryText,
                             hovered ? hovered->row : -1};
      drawRowLabels(list, rowTokens, {a.x - look.px(4), a.y},
                    size.y / static_cast<float>(first.rows), labels, style);
      if (scoreLike) {
        const LabelStyle keys{look.fonts.tiny, look.theme.textMuted, look.theme.keyText,
                              hovered ? hovered->col : -1};
        drawColumnLabels(list, laneTokens(panel.trace, Lane::key, panel.view.item),
                         {a.x, b.y + look.px(2)}, size.x / static_cast<float>(first.cols),
                         look.px(26), keys);
      }
    }
    if (hovered && info(tensor).rows == Axis::query) {
      // the same cell lit in every head
      const float ch = size.y / static_cast<float>(first.rows);
      const float y = a.y + static_cast<float>(hovered->row) * ch;
      list->AddRect({a.x, y}, {b.x, y + std::max(ch, 2.0F)}, look.theme.queryText);
    }
    ImGui::SetCursorScreenPos({a.x, corner.y});
    ImGui::PushID(static_cast<int>(h));
    if (ImGui::InvisibleButton("head", {size.x, size.y + title})) {
      chooseHead(panel.view, tensor, c, h);
      if (const auto clicked = tiles.pick(h, a, b)) panel.view.selected = clicked->cell;
    }
    ImGui::PopID();
  }
  colorBar(look, tiles.scale(), {origin.x + room.x + look.px(10), origin.y + title},
           std::min(room.y - title - look.px(8), look.px(160)));
  panel.view.hovered = hovered;
}

void headsStrip(const Panel& panel, Magnitudes& magnitudes) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  heading(look, "Heads",
          "weights 0 to 1, one scale · rows: queries, columns: keys · click to open");
  const float height = ImGui::GetContentRegionAvail().y;
  const float gap = look.px(10);
  const float available = ImGui::GetContentRegionAvail().x;
  const auto count = static_cast<float>(c.numHeads);
  const float least = look.px(118);
  const float width = std::clamp((available - gap * (count - 1.0F)) / count, least, look.px(260));
  const bool scrolls = (width + gap) * count - gap > available + 1.0F;

  ImGui::BeginChild("strip", {0, height}, false,
                    scrolls ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollbar);
  if (scrolls && ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0.0F) {
    ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * look.px(120));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float cardHeight = height - (scrolls ? ImGui::GetStyle().ScrollbarSize + look.px(3) : 0.0F);
  const float pad = look.px(8);
  const float most = cardHeight - 2 * pad;
  // beside the text, or below it where the card is narrow
  const bool beside = width - 2 * pad - most > look.px(62);
  const float side = beside ? most : std::min(most - look.px(20), width - 2 * pad);

  Tiles tiles(panel, magnitudes, TensorId::weights);
  const ImVec2 clip0 = ImGui::GetWindowPos();
  const ImVec2 clip1(clip0.x + ImGui::GetWindowSize().x, clip0.y + ImGui::GetWindowSize().y);
  struct Card {
    Index head;
    ImVec2 a, map0, map1;
  };
  std::vector<Card> cards;
  for (Index h = 0; h < c.numHeads; ++h) {
    const ImVec2 a(origin.x + static_cast<float>(h) * (width + gap), origin.y);
    if (a.x > clip1.x || a.x + width < clip0.x) continue;
    const ImVec2 map0(a.x + pad, beside ? a.y + pad : a.y + cardHeight - pad - side);
    const auto aspect = static_cast<float>(c.seqLen) / static_cast<float>(c.keys());
    const ImVec2 extent(aspect > 1.0F ? side / aspect : side, aspect < 1.0F ? side * aspect : side);
    cards.push_back(
        {h, a, map0, {map0.x + std::max(extent.x, 3.0F), map0.y + std::max(extent.y, 3.0F)}});
  }
  for (const Card& card : cards) {
    const bool chosen = card.head == panel.view.head;
    const ImVec2 b(card.a.x + width, card.a.y + cardHeight);
    const ImU32 color = headColor(t, static_cast<std::size_t>(card.head));
    list->AddRectFilled(card.a, b, chosen ? t.accentSoft : t.panel, look.px(6));
    const float line = look.px(chosen ? 2.0F : 1.0F);
    const float half = line * 0.5F;
    list->AddRect({card.a.x + half, card.a.y + half}, {b.x - half, b.y - half},
                  chosen ? t.accent : t.panelBorder, look.px(6), 0, line);
    const ImVec2 text(beside ? card.map1.x + look.px(12) : card.a.x + pad,
                      card.a.y + pad - look.px(1));
    drawText(list, look.fonts.semibold, text, color, fmt::format("Head {}", card.head + 1));
    if (beside) {
      const float y = text.y + fontSize(look.fonts.semibold) + look.px(6);
      const float room = b.x - text.x - look.px(6);
      const float gain = c.gain(card.head);
      if (gain != 1.0F) {
        drawText(list, look.fonts.small, {text.x, y}, t.bad,
                 gain == 0.0F ? "off" : fmt::format("× {:g}", gain));
      } else {
        drawText(list, look.fonts.small, {text.x, y}, t.textMuted,
                 elided(look.fonts.small, columnsOf(c, card.head, room, look.fonts.small), room));
      }
    }
  }
  for (const Card& card : cards) tiles.add(card.head, card.map0, card.map1);
  tiles.draw(list);
  for (const Card& card : cards) {
    list->AddRect(card.map0, card.map1, t.panelBorder);
    ImGui::SetCursorScreenPos(card.a);
    ImGui::PushID(static_cast<int>(card.head));
    if (ImGui::InvisibleButton("card", {width, cardHeight})) panel.view.head = card.head;
    if (ImGui::IsItemHovered() && tiles.pick(card.head, card.map0, card.map1)) {
      list->AddRect(card.map0, card.map1, t.accent);
    }
    ImGui::PopID();
  }
  ImGui::SetCursorScreenPos({origin.x, origin.y});
  ImGui::Dummy({(width + gap) * count - gap, cardHeight});
  ImGui::EndChild();
}

}  // namespace headscope::ui
