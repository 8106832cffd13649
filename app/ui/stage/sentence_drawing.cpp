#include "app/ui/stage/sentence_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/ui/letters.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/words/cells.h"

namespace headscope::ui {
namespace {

constexpr float kArcPerLetter = 0.66F;   // thickness of weight 1, in heights of the letters
constexpr float kMostOfArcRoom = 0.28F;  // … and at most this share of the room above the words
constexpr float kStrongShare = 0.58F;    // height of an arc's share, in heights of the letters
constexpr float kWeakShare = 0.42F;
constexpr float kFrameAboveLetters = 0.18F;
constexpr float kLeastArcHeight = 0.5F;   // height of an arc, in heights of the letters
constexpr float kThinnest = 1.6F;         // points
constexpr float kFramedPatch = 0.02F;     // least weight of a patch with a frame
constexpr float kLettersOfMarks = 34.0F;  // for the shares of marks, in points
constexpr float kMarkArc = 16.0F;         // thickness of weight 1 above marks, in points
constexpr float kPatchArc = 7.0F;         // … and over a picture, which stays visible

/// Returns whether a font has all letters of a text, so that none is replaced.
bool hasLetters(ImFont* font, std::string_view text) {
  bool all = true;
  eachCharacterOf(text, [&](char32_t code) {
    all = all && code <= 0xFFFF && font->FindGlyphNoFallback(static_cast<ImWchar>(code)) != nullptr;
  });
  return all;
}

/// The font whose letters need the least scaling; the large ones have Latin letters only.
ImFont* fontFor(const FrameContext& look, float height, bool bold, std::string_view text) {
  const Fonts& fonts = look.fonts;
  ImFont* const nearest = bold ? (height > look.px(24) ? fonts.displayBold : fonts.title)
                          : height > look.px(28) ? fonts.display
                          : height > look.px(16) ? fonts.large
                                                 : fonts.regular;
  return hasLetters(nearest, text) ? nearest : bold ? fonts.title : fonts.regular;
}

/// The height of the letters of an arc's share.
float shareHeight(const FrameContext& look, const SentenceLayout& layout, float ofLetters) {
  const float letters = std::max(layout.letters, look.px(kLettersOfMarks));
  return std::clamp(letters * ofLetters, look.px(13), look.px(26));
}

/// The room that an arc leaves above it for its share.
float roomForShare(const FrameContext& look, const SentenceLayout& layout, const Arc& arc) {
  if (layout.marks() && arc.share.empty()) return 0.75F * layout.words.front().height();
  return shareHeight(look, layout, kStrongShare) + look.space.tight;
}

Curve curveOf(const FrameContext& look, const SentenceLayout& from, const SentenceLayout& to,
              const Arc& arc) {
  const Rect& a = from.words[static_cast<std::size_t>(arc.from)];
  const Rect& b = to.words[static_cast<std::size_t>(arc.to)];
  if (from.isPicture()) {  // from middle to middle, bent upwards
    const ImVec2 start = a.centre();
    const ImVec2 end = b.centre();
    // the first token's top is the picture's: no arc leaves it
    const float room = std::min(start.y, end.y) - from.words.front().a.y;
    const float bend = 0.3F * std::abs(start.x - end.x) + 0.5F * a.height();
    const float up = room < a.height() ? 0.0F : std::min(bend, room);
    return {start, ImVec2{start.x, start.y - up}, ImVec2{end.x, end.y - up}, end};
  }
  if (std::abs(a.a.y - b.a.y) < 1.0F) {
    const float apart = std::abs(a.centre().x - b.centre().x);
    const float letters = std::max(from.letters, a.height());
    // the share stands above the arc; an arc that is too low to be seen as one takes its room
    const float most = from.arcRoom - arc.thickness * 0.5F - roomForShare(look, from, arc);
    const float height =
        std::min(std::max(most, letters * kLeastArcHeight), 0.3F * apart + letters * 0.7F);
    const float up = height * 4.0F / 3.0F;  // a cubic curve reaches 3/4 of its handles
    const float side = apart < 1.0F ? letters * 0.5F : 0.0F;  // a loop of a word to itself
    return {ImVec2{a.centre().x - side, a.a.y}, ImVec2{a.centre().x - side, a.a.y - up},
            ImVec2{b.centre().x + side, b.a.y - up}, ImVec2{b.centre().x + side, b.a.y}};
  }
  const bool keyAbove = b.a.y < a.a.y;
  const ImVec2 start{a.centre().x, keyAbove ? a.a.y : a.b.y};
  const ImVec2 end{b.centre().x, keyAbove ? b.b.y : b.a.y};
  const float bend = (end.y - start.y) * 0.55F;
  return {start, ImVec2{start.x, start.y + bend}, ImVec2{end.x, end.y - bend}, end};
}

/// The point that lies beyond `end` on the line from `before`, `length` away from it.
ImVec2 beyond(ImVec2 end, ImVec2 before, float length) {
  const float x = end.x - before.x, y = end.y - before.y;
  const float apart = std::hypot(x, y);
  return apart > 0.0F ? ImVec2{end.x + length * x / apart, end.y + length * y / apart} : end;
}

/// Draws the box and the name of a token that is no patch, at the left of its place.
void drawNameNextTo(const FrameContext& look, ImDrawList* list, const Rect& at, ImU32 color,
                    std::string_view name) {
  list->AddRect(at.a, at.b, look.theme.panelBorder);
  const ImVec2 size = textSize(look.fonts.small, name);
  drawText(list, look.fonts.small,
           {at.a.x - size.x - look.space.tight, at.centre().y - 0.5F * size.y}, color, name);
}

/// Draws the share of an arc: at its top, or next to an arc between two lines where it covers
/// neither a word nor another share; nowhere if there is no such place.
void drawShare(const FrameContext& look, ImDrawList* list, const SentenceLayout& from,
               const SentenceLayout& to, const Arc& arc, ImU32 color, std::vector<Rect>& drawn) {
  const Curve curve = curveOf(look, from, to, arc);
  const bool onLine = std::abs(curve[0].y - curve[3].y) < 1.0F;
  const float height = shareHeight(look, from, arc.strength > 0.8F ? kStrongShare : kWeakShare);
  const ImVec2 size = lettersSize(look, height, true, arc.share);
  const float away = arc.thickness * 0.5F + look.space.tight;
  const auto labelAt = [&](float along) {
    const ImVec2 top = pointOn(curve, along);
    if (!onLine) return Rect::at({top.x + away + arc.thickness, top.y - size.y * 0.5F}, size);
    float left = top.x - size.x * 0.5F;
    if (from.marks()) {  // the last of many marks is at the edge of the room
      const float first = from.words.front().a.x, end = from.words.back().b.x;
      left = std::clamp(left, first, std::max(first, end - size.x));
    }
    return Rect::at({left, top.y - away - size.y}, size);
  };
  const auto isFree = [&](const Rect& label) {
    const auto overlaps = [&](const Rect& other) {
      return other.outset(look.space.tight).overlaps(label);
    };
    // letters are lower than the frame of their word
    const auto covers = [&](const Rect& word) {
      return word.inset({0.0F, from.letters * kFrameAboveLetters}).overlaps(label);
    };
    if (std::any_of(drawn.begin(), drawn.end(), overlaps)) return false;
    return from.isPicture() || (std::none_of(from.words.begin(), from.words.end(), covers) &&
                                std::none_of(to.words.begin(), to.words.end(), covers));
  };
  constexpr std::array kTop{0.5F};
  // between lines at the key's end, where the arcs of one query are apart
  constexpr std::array kFromKey{0.88F, 0.8F, 0.7F, 0.6F, 0.5F, 0.4F, 0.3F, 0.2F, 0.12F};
  const std::span<const float> tried = onLine ? std::span<const float>(kTop) : kFromKey;
  const auto place = std::ranges::find_if(tried, [&](float t) { return isFree(labelAt(t)); });
  if (place == tried.end()) return;
  const Rect label = labelAt(*place);
  drawn.push_back(label);
  const float round = look.space.tight;
  list->AddRectFilled(label.a, label.b, withAlpha(look.theme.window, 0.8F), round);
  drawLetters(look, list, label.a, height, true, color, arc.share);
}

}  // namespace

void drawLetters(const FrameContext& look, ImDrawList* list, ImVec2 at, float height, bool bold,
                 ImU32 color, std::string_view text) {
  ImFont* font = fontFor(look, height, bold, text);
  std::string room;
  const std::string_view drawn = asDrawn(font, text, room);
  list->AddText(font, height, at, color, drawn.data(), drawn.data() + drawn.size());
}

ImVec2 lettersSize(const FrameContext& look, float height, bool bold, std::string_view text) {
  ImFont* font = fontFor(look, height, bold, text);
  std::string room;
  const std::string_view drawn = asDrawn(font, text, room);
  return font->CalcTextSizeA(height, 1e9F, 0.0F, drawn.data(), drawn.data() + drawn.size());
}

void drawLettersCentred(const FrameContext& look, ImDrawList* list, ImVec2 centre, float width,
                        float height, bool bold, ImU32 color, std::string_view text) {
  ImVec2 size = lettersSize(look, height, bold, text);
  if (size.x > width) {
    height *= width / size.x;
    size = lettersSize(look, height, bold, text);
  }
  drawLetters(look, list, {centre.x - size.x * 0.5F, centre.y - size.y * 0.5F}, height, bold, color,
              text);
}

std::vector<WordWidth> widthsOf(const FrameContext& look, std::span<const std::string> tokens) {
  constexpr float kMeasured = 40.0F;  // the chosen word is bold: each keeps room for that
  std::vector<WordWidth> widths;
  for (const std::string& token : tokens) {
    const float height = look.px(kMeasured);
    widths.push_back(
        {lettersSize(look, height, true, stageWord(token)).x / height, isClosingMark(token)});
  }
  return widths;
}

void drawWords(const FrameContext& look, ImDrawList* list, const DrawnSentence& sentence,
               ImU32 color) {
  const Theme& t = look.theme;
  const SentenceLayout& layout = *sentence.layout;
  for (std::size_t i = 0; i < layout.words.size(); ++i) {
    const Rect& at = layout.words[i];
    const bool chosen = static_cast<int>(i) == sentence.chosen;
    const float tint = i < sentence.tints.size() ? std::clamp(sentence.tints[i], 0.0F, 1.0F) : 0.0F;
    const float round = std::min(at.height() * 0.16F, at.width() * 0.5F);
    if (layout.isPicture()) {
      if (at.b.x <= layout.picture.a.x) {  // a token that is no patch stands next to the picture
        drawNameNextTo(look, list, at, chosen ? color : t.textMuted, stageWord(sentence.tokens[i]));
      }
      if (chosen || tint >= kFramedPatch) {
        list->AddRect(at.a, at.b, withAlpha(color, chosen ? 1.0F : 0.3F + 0.7F * tint), 0.0F, 0,
                      look.px(chosen ? 3.0F : 2.0F));
      }
      continue;
    }
    ImU32 ink = withAlpha(t.text, sentence.strength);
    if (tint >= 0.02F) {
      const float alpha = 0.05F + 0.95F * tint;
      list->AddRectFilled(at.a, at.b, withAlpha(color, alpha), round);
      if (tint >= 0.5F) ink = t.kind == ThemeKind::light ? t.textOnAccent : legibleOn(color);
    } else if (static_cast<int>(i) == sentence.hovered && !chosen) {
      list->AddRectFilled(at.a, at.b, t.fieldHover, round);
    }
    if (layout.marks()) {
      const float radius = std::clamp(at.width() * 0.3F, 1.0F, chosen ? look.px(5) : look.px(3));
      list->AddCircleFilled(at.centre(), radius, chosen ? color : withAlpha(t.textMuted, 0.6F));
      continue;
    }
    if (chosen) {
      if (tint < 0.5F) list->AddRectFilled(at.a, at.b, t.panel, round);
      list->AddRect(at.a, at.b, color, round, 0, std::max(look.px(2), layout.letters * 0.06F));
      if (tint < 0.5F) ink = t.text;
    }
    const std::string_view text = stageWord(sentence.tokens[i]);
    drawLettersCentred(look, list, at.centre(), at.width(), layout.letters, chosen || tint >= 0.5F,
                       ink, text);
    if (i < sentence.unknown.size() && sentence.unknown[i] != 0) {  // dotted: a guess
      const float y = at.b.y - layout.letters * 0.08F;
      const float first = at.a.x + layout.letters * 0.14F;
      for (float x = first; x < at.b.x - layout.letters * 0.14F; x += look.px(5)) {
        list->AddCircleFilled({x, y}, look.px(1.3F), t.textMuted);
      }
    }
  }
}

float arcThickness(const FrameContext& look, const SentenceLayout& layout, float weight) {
  const float whole =
      layout.isPicture() ? std::min(look.px(kPatchArc), 0.4F * layout.words.back().height())
      : layout.marks()   ? look.px(kMarkArc)
                       : std::min(kArcPerLetter * layout.letters, kMostOfArcRoom * layout.arcRoom);
  return std::max(look.px(kThinnest), whole * std::min(weight, 1.0F));
}

ImVec2 pointOn(const Curve& c, float share) {
  const float s = 1.0F - share;
  const float w[4] = {s * s * s, 3 * s * s * share, 3 * s * share * share, share * share * share};
  ImVec2 at{0.0F, 0.0F};
  for (std::size_t i = 0; i < c.size(); ++i) at = {at.x + w[i] * c[i].x, at.y + w[i] * c[i].y};
  return at;
}

void drawArcs(const FrameContext& look, ImDrawList* list, const SentenceLayout& from,
              const SentenceLayout& to, std::span<const Arc> arcs, ImU32 color) {
  for (std::size_t n = arcs.size(); n-- > 0;) {
    const Arc& arc = arcs[n];
    if (arc.strength <= 0.0F) continue;
    const Curve c = curveOf(look, from, to, arc);
    constexpr float kEnd = 1.5F;  // points on the curve's line, so that a thick arc ends level
    list->PathLineTo(beyond(c[0], c[1], look.px(kEnd)));
    list->PathLineTo(c[0]);
    constexpr int kSegments = 48;
    list->PathBezierCubicCurveTo(c[1], c[2], c[3], kSegments);
    list->PathLineTo(beyond(c[3], c[2], look.px(kEnd)));
    list->PathStroke(withAlpha(color, arc.strength), 0, arc.thickness);
  }
  std::vector<Rect> labels;
  for (const Arc& arc : arcs) {
    if (arc.share.empty()) continue;
    drawShare(look, list, from, to, arc, color, labels);
  }
}

}  // namespace headscope::ui
