// The strip of Flow: every head with its name, its measures and the picture of its weights.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/head_purposes.h"
#include "app/ui/head_switch.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/status_bar.h"
#include "app/ui/step_view/head_panels.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

/// Returns `whole` where it fits; else `brief`, cut where even that does not fit.
std::string fittingText(ImFont* font, float room, const std::string& whole,
                        const std::string& brief) {
  return textSize(font, whole).x <= room ? whole : elided(font, brief, room);
}

/// Returns the columns of a head: of Q, K and V, or of Q only where heads share keys and values.
std::string stripColumns(const AttentionConfig& c, Index head, float room, ImFont* font) {
  const std::string of = c.headsPerGroup() > 1 ? "Q " : "";
  const Index first = head * c.dK();
  const bool one = c.dK() == 1;
  const auto range =
      one ? fmt::format("{}", first) : fmt::format("{}–{}", first, first + c.dK() - 1);
  return fittingText(
      font, room, of + fmt::format(fmt::runtime(one ? tr("column {}") : tr("columns {}")), range),
      of + range);
}

/// Returns the name of the head of K and V that a query head reads.
std::string stripKvHead(const AttentionConfig& c, Index head, float room, ImFont* font) {
  const Index number = c.kvHead(head) + 1;
  return fittingText(font, room, trFormat("K, V head {}", number), fmt::format("K, V {}", number));
}

constexpr float kLowStripCard = 72.0F;      // at scale 1; lower cards have a small picture
constexpr float kLowCard = 60.0F;           // at scale 1; lower cards have no line for a switch
constexpr float kNarrowestCard = 118.0F;    // at scale 1; the least width of a card
constexpr float kNarrowestLowCard = 80.0F;  // … of a low card, which has no room for a name

/// One head of the strip: its picture, with text at its right or above it.
struct StripCard {
  Index head;
  Rect at, picture;
  bool textAtRight;
  bool brief;              // low and narrow: only the number has room
  int lines = 0;           // of a name above the picture
  ImFont* font = nullptr;  // the largest of such names, one for all cards

  std::string name() const {
    return brief ? std::to_string(head + 1) : trFormat("Head {}", head + 1);
  }
  float left(const FrameContext& look) const {
    const float gap = at.width() < look.px(kNarrowestCard) ? 6.0F : 12.0F;
    return textAtRight ? picture.b.x + look.px(gap) : at.a.x + look.px(8);
  }
};

/// The place of the switch: right of the name where it fits, else below the text.
ImVec2 switchPlace(const FrameContext& look, const StripCard& card) {
  const float pad = look.px(8);
  const ImVec2 size = headSwitchSize(look);
  const float right = card.at.b.x - pad - size.x;
  const float name = textSize(look.fonts.semibold, card.name()).x;
  const bool fits = card.left(look) + name + look.space.small <= right;
  return fits || !card.textAtRight ? ImVec2(right, card.at.a.y + pad)
                                   : ImVec2(card.left(look), card.at.b.y - pad - size.y);
}

bool isCut(const std::string& line) { return line.ends_with("…"); }

/// A head's caption above its picture: its purpose, and where that does not hold what is the
/// matter.
struct CaptionLines {
  ImFont* font;
  std::vector<std::string> lines;
};

float captionRoom(const FrameContext& look, const StripCard& card) {
  return card.at.width() - look.px(8) - look.space.small;
}

/// Breaks the caption into at most so many lines, in this font or the smallest if it is whole in
/// one of them; the purpose gives way to what is the matter with it.
CaptionLines captionLines(const FrameContext& look, ImFont* largest, const HeadCaption& caption,
                          float room, int most) {
  const int ofTitle = caption.holds ? most : most - 1;
  for (const std::string& matter : {caption.here, caption.brief}) {
    for (ImFont* font : {largest, look.fonts.tiny}) {
      std::vector<std::string> lines;
      if (ofTitle > 0) lines = titleLines(font, caption.title, room, ofTitle);
      if (!caption.holds) lines.push_back(elided(font, matter, room));
      if (std::ranges::none_of(lines, isCut)) return {font, std::move(lines)};
    }
  }
  return {look.fonts.tiny, titleLines(look.fonts.tiny, caption.title, room, std::max(1, ofTitle))};
}

/// Returns whether every head's caption is whole in so many lines of a font.
bool captionsFit(const PanelContext& panel, const MeasuredHeads& measured, float room, int lines,
                 ImFont* font) {
  for (Index head = 0; head < panel.trace.config().numHeads; ++head) {
    const HeadCaption caption = captionHere(panel, measured, head);
    const CaptionLines above = captionLines(panel.look, font, caption, room, lines);
    if (std::ranges::any_of(above.lines, isCut) || above.font != font ||
        (!caption.holds && lines < 2))
      return false;
  }
  return true;
}

/// Draws the head's number, its label and its measures, as far as there is room: next to the
/// picture, or one line above it.
void stripWords(const PanelContext& panel, const MeasuredHeads& measured, const StripCard& card) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = card.brief ? look.fonts.tiny : look.fonts.small;
  const bool low = card.at.height() < look.px(kLowStripCard);
  const ImVec2 text(card.left(look), card.at.a.y + look.px(low ? 5 : 7));
  drawText(list, look.fonts.semibold, text, headColor(t, static_cast<std::size_t>(card.head)),
           card.name());
  const bool named = !purposeTitle(panel.purposes, card.head).empty();  // it replaces the label
  const HeadCaption caption = captionHere(panel, measured, card.head);
  const ImU32 ink = caption.holds ? t.text : t.textMuted;
  if (!card.textAtRight) {
    if (!named) return;
    const CaptionLines above =
        captionLines(look, card.font, caption, captionRoom(look, card), card.lines);
    float y = text.y + fontSize(look.fonts.semibold) + look.space.hair;
    for (const std::string& line : above.lines) {
      drawText(list, above.font, {text.x, y}, ink, line);
      y += fontSize(above.font);
    }
    return;
  }
  float y = text.y + fontSize(look.fonts.semibold) + look.px(low ? 2 : 5);
  const ImVec2 place = switchPlace(look, card);
  const bool switchBelow = place.x <= text.x;
  const float bottom = switchBelow ? place.y : card.at.b.y - look.px(3);
  const auto write = [&](ImFont* font, ImU32 ink, const std::string& words) {
    if (y + fontSize(font) > bottom) return;
    drawText(list, font, {text.x, y}, ink, words);
    y += fontSize(font) + look.px(3);
  };
  const float room = card.at.b.x - text.x - look.space.small;
  const auto linesThatFit = [&](ImFont* font) {
    return static_cast<int>((bottom - y + look.px(3)) / (fontSize(font) + look.px(3)));
  };
  // a text that has no room as a whole is left to the tooltip
  const auto writeWhole = [&](const std::string& words, int most) {
    for (ImFont* font : {small, look.fonts.tiny}) {
      const int fit = std::min(most, linesThatFit(font));
      if (fit < 1) continue;
      const std::vector<std::string> lines = titleLines(font, words, room, fit);
      if (lines.back().ends_with("…")) continue;
      for (const std::string& part : lines) write(font, ink, part);
      return true;
    }
    return false;
  };
  if (named) {
    writeWhole(caption.title, caption.holds ? 3 : std::clamp(linesThatFit(small) - 2, 1, 3));
    if (!caption.holds && !writeWhole(caption.here, 2)) writeWhole(caption.brief, 1);
  }
  const float gain = c.gain(card.head);
  if (gain != 1.0F && gain != 0.0F) write(small, t.bad, fmt::format("× {:g}", gain));
  if (measured.figures != nullptr) {
    for (const TileLine& said : tileLines(look, measured.figures->report, card.head, room, named)) {
      write(said.font, measured.current ? t.text : t.textMuted, said.text);
    }
  }
  if (card.at.width() < look.px(kNarrowestCard)) return;  // the last heads' columns have no room
  write(small, t.textMuted, stripColumns(c, card.head, room, small));
  if (c.headsPerGroup() > 1) write(small, t.textMuted, stripKvHead(c, card.head, room, small));
}

void stripFrame(const PanelContext& panel, const StripCard& card) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const bool chosen = card.head == panel.selection.head;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(card.at.a, card.at.b, chosen ? t.accentSoft : t.panel, look.px(6));
  const float line = look.px(chosen ? 2.0F : 1.0F);
  const Rect frame = card.at.inset(line * 0.5F);
  list->AddRect(frame.a, frame.b, chosen ? t.accent : t.panelBorder, look.px(6), 0, line);
}

/// Handles the mouse on a card: a click chooses the head; a tooltip names the cell or the relation
/// that the head was made for.
void stripCardItem(const PanelContext& panel, const HeadTiles& tiles, const MeasuredHeads& measured,
                   const StripCard& card) {
  const FrameContext& look = panel.look;
  ImGui::SetCursorScreenPos(card.at.a);
  ImGui::PushID(static_cast<int>(card.head));
  allowOverlapBefore();
  if (ImGui::InvisibleButton("card", card.at.size())) panel.selection.head = card.head;
  noteControl(look, trFormat("Head {}", card.head + 1));
  allowOverlapAfter();
  if (ImGui::IsItemHovered()) {
    if (tiles.pick(card.head, card.picture)) {
      ImGui::GetWindowDrawList()->AddRect(card.picture.a, card.picture.b, look.theme.accent);
    } else if (const auto about = purposeExplanation(panel, card.head); !about.empty()) {
      const HeadCaption caption = captionHere(panel, measured, card.head);
      tip(look, caption.holds ? about : trFormat("{}\n\nOn this input: {}.", about, caption.here));
    }
  }
  ImGui::SetCursorScreenPos(switchPlace(look, card));
  headSwitch(panel, card.head);
  ImGui::PopID();
}

/// The visible cards of the strip, each of `size`, `pitch` apart.
std::vector<StripCard> stripCards(const PanelContext& panel, const MeasuredHeads& measured,
                                  ImVec2 origin, ImVec2 size, float pitch) {
  const FrameContext& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  const float pad = look.px(8);
  const float most = size.y < look.px(kLowStripCard) ? look.px(32) : size.y - 2 * pad;
  // the picture stands next to the text, or below it where the card is narrow
  const bool textAtRight = size.y < look.px(kLowStripCard) || size.x - 2 * pad - most > look.px(62);
  // above a picture with no room at its right: the name, and the relation that the head was made
  // for
  const bool named = panel.purposes != nullptr && !panel.purposes->empty();
  int lines = 0;
  ImFont* font = look.fonts.small;
  if (named && !textAtRight) {
    const float room = size.x - pad - look.space.small;
    const bool low = most < look.px(84);  // a second line would leave nothing of the picture
    lines = low || captionsFit(panel, measured, room, 1, look.fonts.tiny) ? 1 : 2;
    if (!captionsFit(panel, measured, room, lines, font)) font = look.fonts.tiny;
  }
  const float above = look.space.wide + static_cast<float>(lines) * fontSize(look.fonts.small);
  const float side = textAtRight ? most : std::min(most - above, size.x - 2 * pad);
  const auto aspect = static_cast<float>(c.seqLen) / static_cast<float>(c.keys());
  const ImVec2 extent(std::max(aspect > 1.0F ? side / aspect : side, 3.0F),
                      std::max(aspect < 1.0F ? side * aspect : side, 3.0F));
  const Rect seen = Rect::at(ImGui::GetWindowPos(), ImGui::GetWindowSize());
  std::vector<StripCard> cards;
  for (Index h = 0; h < c.numHeads; ++h) {
    const Rect at = Rect::at({origin.x + static_cast<float>(h) * pitch, origin.y}, size);
    if (at.a.x > seen.b.x || at.b.x < seen.a.x) continue;
    const ImVec2 corner(at.a.x + pad, textAtRight ? at.a.y + pad : at.b.y - pad - side);
    StripCard card{h, at, Rect::at(corner, extent), textAtRight, false, lines, font};
    const bool small = size.y < look.px(kLowCard) || size.x < look.px(kNarrowestCard);
    card.brief = textAtRight && small && switchPlace(look, card).x <= card.left(look);
    cards.push_back(card);
  }
  return cards;
}

constexpr const char* kWhySeveral = trLater("Why several heads?");

/// Draws a button that opens the comparison with one head that does the work of two.
void whySeveralButton(const PanelContext& panel, const char* text) {
  if (pill(panel.look, text)) {
    panel.selection.page = kHeadsPage;
    panel.headsView.effectTab = EffectTab::whySeveral;
    panel.frame.inSight = "effects";
  }
  tip(panel.look, tr("One head for the jobs of two of these, compared with the two"));
}

/// Draws the heading of the strip, with the button at the right end of the line.
void stripHeading(const PanelContext& panel, const std::string& about) {
  const FrameContext& look = panel.look;
  const ImVec2 start = ImGui::GetCursorPos();
  const bool several = panel.trace.config().numHeads > 1;
  const float button = several ? buttonWidth(look, tr(kWhySeveral)) : 0.0F;
  const float room = ImGui::GetContentRegionAvail().x - button -
                     textSize(look.fonts.semibold, tr("Heads")).x - look.px(24);
  heading(look, tr("Heads"),
          room > 0.0F ? wholeParts(look.fonts.small, about, room).c_str() : nullptr);
  if (!several) return;
  const ImVec2 after = ImGui::GetCursorPos();
  ImGui::SetCursorPos({ImGui::GetWindowContentRegionMax().x - button, start.y - look.space.tight});
  whySeveralButton(panel, tr(kWhySeveral));
  ImGui::SetCursorPos(after);
}

/// Draws the button on two lines at the right of a strip too low for a heading. Returns the width
/// that it takes.
float whySeveralAtRight(const PanelContext& panel, float height) {
  const char* const kTwoLines = tr("Why several\nheads?");
  const FrameContext& look = panel.look;
  if (panel.trace.config().numHeads < 2) return 0.0F;
  const ImVec2 start = ImGui::GetCursorPos();
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  const float width = textSize(look.fonts.regular, tr("Why several")).x + 2.0F * padding.x;
  const float lines = 2.0F * fontSize(look.fonts.regular) + 2.0F * padding.y;
  ImGui::SetCursorPos({ImGui::GetWindowContentRegionMax().x - width,
                       start.y + std::max(0.0F, (height - lines) * 0.5F)});
  whySeveralButton(panel, kTwoLines);
  ImGui::SetCursorPos(start);
  return width + look.space.wide;
}

std::string scaleInWords(const HeadTiles& weights) {
  return trFormat("weights {}, one scale · rows: queries, columns: keys",
                  weights.scale().inWords());
}

void headsStrip(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const AttentionConfig& c = panel.trace.config();
  HeadTiles tiles(panel, panel.magnitudes, TensorId::weights);
  std::string about = scaleInWords(tiles) + tr(" · click to open · alt+x switches a head off");
  const std::string mistakes = mistakesInWords(panel);
  if (!mistakes.empty()) about = mistakes + " · " + about;
  constexpr float kRoomForHeading = 70.0F;
  const bool headed = ImGui::GetContentRegionAvail().y > look.px(kRoomForHeading);
  if (headed) stripHeading(panel, about);
  ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.y < look.px(kLowCard)) {  // the names also get the margin above and below
    const float more = std::max(0.0F, ImGui::GetStyle().WindowPadding.y - look.px(5));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - more);
    room.y += 2.0F * more;
  }
  if (!headed) room.x -= whySeveralAtRight(panel, room.y);
  const float gap = look.px(10);
  const auto count = static_cast<float>(c.numHeads);
  const float least = room.y < look.px(kLowStripCard) ? kNarrowestLowCard : kNarrowestCard;
  const float width =
      std::clamp((room.x - gap * (count - 1.0F)) / count, look.px(least), look.px(260));
  const float length = (width + gap) * count - gap;
  const bool scrolls = length > room.x + 1.0F;

  beginPart("strip", {room.x, room.y},
            scrolls ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollbar);
  if (scrolls && ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0.0F) {
    ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * look.px(120));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float height = room.y - (scrolls ? ImGui::GetStyle().ScrollbarSize + look.px(3) : 0.0F);
  const MeasuredHeads measured = measuredHeads(panel);
  const std::vector<StripCard> cards =
      stripCards(panel, measured, origin, {width, height}, width + gap);
  for (const StripCard& card : cards) {
    stripFrame(panel, card);
    stripWords(panel, measured, card);
    tiles.add(card.head, card.picture);
  }
  tiles.draw(list);
  for (const StripCard& card : cards) {
    list->AddRect(card.picture.a, card.picture.b, look.theme.panelBorder);
    drawOff(panel, list, card.head, card.picture.a, card.picture.b);
    stripCardItem(panel, tiles, measured, card);
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({length, height});
  ImGui::EndChild();
}

class HeadsStrip final : public Card {
 public:
  HeadsStrip() : Card({kStripCard, tr("Heads"), tr("the weights of every head")}) {}
  void draw(const PanelContext& panel) override {
    if (!panel.alone) return headsStrip(panel);
    const HeadTiles tiles(panel, panel.magnitudes, TensorId::weights);
    heading(panel.look, tr("Heads"), scaleInWords(tiles).c_str());
    headGrid(panel, TensorId::weights);
  }
};

}  // namespace

std::unique_ptr<Card> makeHeadsStrip() { return std::make_unique<HeadsStrip>(); }

}  // namespace headscope::ui
