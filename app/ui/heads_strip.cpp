#include "app/ui/heads_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/cell_marks.h"
#include "app/ui/compat.h"
#include "app/ui/designed_words.h"
#include "app/ui/head_switch.h"
#include "app/ui/head_tiles.h"
#include "app/ui/heads/tile_words.h"
#include "app/ui/mistake_badge.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

/// `whole` where there is room for it, else `brief`, cut where not even that fits.
std::string fitting(ImFont* font, float room, const std::string& whole, const std::string& brief) {
  return textSize(font, whole).x <= room ? whole : elided(font, brief, room);
}

/// The columns that are a head's: of Q, K and V, or of Q alone where heads share keys and values.
std::string columnsOf(const AttentionConfig& c, Index head, float room, ImFont* font) {
  const std::string of = c.headsPerGroup() > 1 ? "Q " : "";
  const Index first = head * c.dK();
  const bool one = c.dK() == 1;
  const auto range =
      one ? fmt::format("{}", first) : fmt::format("{}–{}", first, first + c.dK() - 1);
  return fitting(font, room, fmt::format("{}column{} {}", of, one ? "" : "s", range), of + range);
}

/// The head of K and V that a query head reads.
std::string kvHeadOf(const AttentionConfig& c, Index head, float room, ImFont* font) {
  const Index number = c.kvHead(head) + 1;
  return fitting(font, room, fmt::format("K, V head {}", number), fmt::format("K, V {}", number));
}

struct StripCard {
  Index head;
  ImVec2 a, map0, map1;
};

std::string nameOf(const StripCard& card) { return fmt::format("Head {}", card.head + 1); }

/// Right of the name where there is room for it, else below the words.
ImVec2 switchPlace(const Look& look, const StripCard& card, ImVec2 b, bool beside) {
  const float pad = look.px(8);
  const ImVec2 size = headSwitchSize(look);
  const float left = beside ? card.map1.x + look.px(12) : card.a.x + pad;
  const float right = b.x - pad - size.x;
  const bool fits = left + textSize(look.fonts.semibold, nameOf(card)).x + look.px(6) <= right;
  return fits || !beside ? ImVec2(right, card.a.y + pad) : ImVec2(left, b.y - pad - size.y);
}

/// Its number, what it does and measures, as far as there is room: beside the picture, or the first
/// line above it.
void cardWords(const Panel& panel, const MeasuredHeads& measured, const StripCard& card, ImVec2 b,
               bool beside) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const float pad = look.px(8);
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = look.fonts.small;
  const ImVec2 text(beside ? card.map1.x + look.px(12) : card.a.x + pad,
                    card.a.y + pad - look.px(1));
  const std::string name = nameOf(card);
  drawText(list, look.fonts.semibold, text, headColor(t, static_cast<std::size_t>(card.head)),
           name);
  const std::string title = designedTitle(panel, card.head);
  if (!beside) {
    const float after = textSize(look.fonts.semibold, name).x + look.px(7);
    const float room = b.x - text.x - after - headSwitchSize(look).x - look.px(14);
    drawText(list, small, {text.x + after, text.y + look.px(2)}, t.textMuted,
             elided(small, title, room));
    return;
  }
  float y = text.y + fontSize(look.fonts.semibold) + look.px(5);
  const float place = switchPlace(look, card, b, beside).y;
  const float bottom = place > y ? place : b.y - look.px(3);
  const auto write = [&](ImFont* font, ImU32 ink, const std::string& words) {
    if (y + fontSize(font) > bottom) return;
    drawText(list, font, {text.x, y}, ink, words);
    y += fontSize(font) + look.px(3);
  };
  const float room = b.x - text.x - look.px(6);
  const bool named = !title.empty();  // a designed head: its title stands for its label
  if (named) {
    for (const auto& part : titleLines(small, title, room)) write(small, t.text, part);
  }
  const float gain = c.gain(card.head);
  if (gain != 1.0F && gain != 0.0F) write(small, t.bad, fmt::format("× {:g}", gain));
  if (measured.figures != nullptr) {
    for (const TileLine& said : tileLines(look, measured.figures->report, card.head, room, named)) {
      write(said.font, measured.measuring.current ? t.text : t.textMuted, said.text);
    }
  }
  write(small, t.textMuted, columnsOf(c, card.head, room, small));
  if (c.headsPerGroup() > 1) write(small, t.textMuted, kvHeadOf(c, card.head, room, small));
}

}  // namespace

void headsStrip(const Panel& panel, Magnitudes& magnitudes, const MeasuredHeads& measured) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  std::string about =
      "weights 0 to 1, one scale · rows: queries, columns: keys · click to open · "
      "x switches a head off";
  const std::string mistakes = mistakesInWords(c);
  if (!mistakes.empty()) about = mistakes + " · " + about;
  heading(look, "Heads", about.c_str());
  const float height = ImGui::GetContentRegionAvail().y;
  const float gap = look.px(10);
  const float available = ImGui::GetContentRegionAvail().x;
  const auto count = static_cast<float>(c.numHeads);
  const float least = look.px(118);
  const float width = std::clamp((available - gap * (count - 1.0F)) / count, least, look.px(260));
  const bool scrolls = (width + gap) * count - gap > available + 1.0F;

  beginPart("strip", {0, height},
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

  HeadTiles tiles(panel, magnitudes, TensorId::weights);
  const ImVec2 clip0 = ImGui::GetWindowPos();
  const ImVec2 clip1(clip0.x + ImGui::GetWindowSize().x, clip0.y + ImGui::GetWindowSize().y);
  std::vector<StripCard> cards;
  for (Index h = 0; h < c.numHeads; ++h) {
    const ImVec2 a(origin.x + static_cast<float>(h) * (width + gap), origin.y);
    if (a.x > clip1.x || a.x + width < clip0.x) continue;
    const ImVec2 map0(a.x + pad, beside ? a.y + pad : a.y + cardHeight - pad - side);
    const auto aspect = static_cast<float>(c.seqLen) / static_cast<float>(c.keys());
    const ImVec2 extent(aspect > 1.0F ? side / aspect : side, aspect < 1.0F ? side * aspect : side);
    cards.push_back(
        {h, a, map0, {map0.x + std::max(extent.x, 3.0F), map0.y + std::max(extent.y, 3.0F)}});
  }
  for (const StripCard& card : cards) {
    const bool chosen = card.head == panel.view.head;
    const ImVec2 b(card.a.x + width, card.a.y + cardHeight);
    list->AddRectFilled(card.a, b, chosen ? t.accentSoft : t.panel, look.px(6));
    const float line = look.px(chosen ? 2.0F : 1.0F);
    const float half = line * 0.5F;
    list->AddRect({card.a.x + half, card.a.y + half}, {b.x - half, b.y - half},
                  chosen ? t.accent : t.panelBorder, look.px(6), 0, line);
    cardWords(panel, measured, card, b, beside);
  }
  for (const StripCard& card : cards) tiles.add(card.head, card.map0, card.map1);
  tiles.draw(list);
  for (const StripCard& card : cards) {
    const MatrixRef shown = headMatrix(TensorId::weights, c, panel.view.item, card.head);
    drawCellMarks(panel, list, {shown, card.map0, card.map1});
    list->AddRect(card.map0, card.map1, t.panelBorder);
    drawOff(panel, list, card.head, card.map0, card.map1);
    ImGui::SetCursorScreenPos(card.a);
    ImGui::PushID(static_cast<int>(card.head));
    allowOverlapBefore();
    if (ImGui::InvisibleButton("card", {width, cardHeight})) panel.view.head = card.head;
    allowOverlapAfter();
    if (ImGui::IsItemHovered()) {
      if (tiles.pick(card.head, card.map0, card.map1)) {
        list->AddRect(card.map0, card.map1, t.accent);
      } else if (const auto about = designedExplanation(panel, card.head); !about.empty()) {
        tip(look, about);
      }
    }
    const ImVec2 b(card.a.x + width, card.a.y + cardHeight);
    ImGui::SetCursorScreenPos(switchPlace(look, card, b, beside));
    headSwitch(panel, card.head);
    ImGui::PopID();
  }
  ImGui::SetCursorScreenPos({origin.x, origin.y});
  ImGui::Dummy({(width + gap) * count - gap, cardHeight});
  ImGui::EndChild();
}

}  // namespace headscope::ui
