#include "app/ui/heads/tile_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "app/ui/compat.h"
#include "app/ui/designed_words.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/widgets.h"
#include "core/weights/designed_heads.h"

namespace headscope::ui {
namespace {

constexpr float kWide = 105.0F;  // points of a picture, for larger letters
constexpr float kGap = 6.0F;     // points between name and words

struct TitleFonts {
  ImFont* name;
  ImFont* words;
};

bool isTiny(const Look& look, float width) { return width < look.px(kTinyTile); }

TitleFonts fontsFor(const Look& look, float width) {
  if (width > look.px(kWide)) return {look.fonts.semibold, look.fonts.small};
  return {look.fonts.small, look.fonts.tiny};
}

float lineHeight(const Look& look, const ImFont* font) { return fontSize(font) + look.px(2); }

/// The words on the name's line and on those below it.
struct Lines {
  std::string beside;
  std::vector<std::string> below;
};

/// As many as `most` lines, the name's with them; 3: all there is.
Lines linesOf(const Look& look, const TileTitle& title, float width, int most) {
  const TitleFonts fonts = fontsFor(look, width);
  const float room = width - textSize(fonts.name, title.name).x - look.px(kGap);
  const auto fits = [&](const std::string& text, float in) {
    return textSize(fonts.words, text).x <= in;
  };
  Lines lines;
  lines.beside = title.figure;
  std::vector<std::string> words;
  for (const std::string& text : {title.made, title.measured}) {
    if (!text.empty()) words.push_back(text);
  }
  if (!words.empty() && lines.beside.empty() && fits(words.front(), room)) {
    lines.beside = words.front();
    words.erase(words.begin());
  }
  if (words.size() == 2) {
    const std::string joined = words[0] + " · " + words[1];
    if (fits(joined, width)) {
      words = {joined};
    } else if (most == 2 && fits(title.both, width) && !title.both.empty()) {
      words = {title.both};
    }
  }
  words.resize(std::min(words.size(), static_cast<std::size_t>(most - 1)));
  lines.below = std::move(words);
  return lines;
}

/// Where words stand that have no line of their own: cut, as long as most of them is left.
std::string cutBeside(const Look& look, const TileTitle& title, float width) {
  constexpr float kMost = 0.7F;
  const TitleFonts fonts = fontsFor(look, width);
  const float room = width - textSize(fonts.name, title.name).x - look.px(kGap);
  const bool enough = room >= kMost * textSize(fonts.words, title.made).x;
  return enough ? elided(fonts.words, title.made, room) : std::string();
}

}  // namespace

TileTitle headTitle(const Panel& panel, const Figures* figures, Index head) {
  const auto at = static_cast<std::size_t>(head);
  TileTitle title;
  title.name = fmt::format("Head {}", head + 1);
  title.shortName = std::to_string(head + 1);
  const HeadLabel* label = figures == nullptr ? nullptr : &figures->report.labels[at];
  const bool designed = panel.designed != nullptr && at < panel.designed->size();
  if (!designed) {
    if (label != nullptr) title.made = labelWithScore(*label);
    return title;
  }
  const DesignedHead& made = (*panel.designed)[at];
  title.made = made.drawn ? "random" : made.title;
  if (label == nullptr) return title;
  if (label->declared) title.both = labelWithScore(*label);
  title.measured = label->declared  // by its own name, which stands there already
                       ? fmt::format("on its partner {:.2f}", label->score.value_or(0.0))
                       : (made.drawn || !label->score ? "" : "like ") + labelWithScore(*label);
  return title;
}

std::string labelWithRule(const HeadLabel& label) {
  return fmt::format("{}: {}", labelWithScore(label), label.rule);
}

std::string headTooltip(const Panel& panel, const Figures* figures, Index head) {
  std::string text;
  if (figures != nullptr) {
    const auto at = static_cast<std::size_t>(head);
    text = fmt::format("Head {}: {}.", head + 1, labelWithRule(figures->report.labels[at]));
  }
  const std::string made = designedExplanation(panel, head);
  if (!made.empty()) text += (text.empty() ? "" : "\n\n") + made;
  return text;
}

int titleLineCount(const Look& look, const std::vector<TileTitle>& titles, float width) {
  if (isTiny(look, width)) return 1;
  // a few long ones do without a line: it would stand empty in all others
  constexpr std::size_t kFew = 4;  // one in so many
  std::vector<int> counts;
  for (const TileTitle& title : titles) {
    counts.push_back(static_cast<int>(linesOf(look, title, width, 3).below.size()) + 1);
  }
  if (counts.empty()) return 1;
  const auto most = counts.end() - 1 - static_cast<std::ptrdiff_t>(counts.size() / kFew);
  std::nth_element(counts.begin(), most, counts.end());
  return *most;
}

float titleHeight(const Look& look, float width, int lines) {
  if (isTiny(look, width)) return look.px(14);
  const TitleFonts fonts = fontsFor(look, width);
  const float name = width > look.px(kWide) ? look.px(22) : look.px(18);
  return name + static_cast<float>(lines - 1) * lineHeight(look, fonts.words);
}

void drawTileTitle(ImDrawList* list, const Look& look, const TileTitle& title, ImU32 color,
                   ImVec2 a, float width, int lines) {
  TitleFonts fonts = fontsFor(look, width);
  const ImU32 muted = look.theme.textMuted;
  const bool tiny = isTiny(look, width);  // a number, and nothing beside it but figures
  Lines words;
  if (tiny) {
    fonts = {look.fonts.tiny, look.fonts.tiny};
    words.beside = title.figure;
  } else {
    words = linesOf(look, title, width, lines);
    if (lines == 1 && words.beside.empty()) words.beside = cutBeside(look, title, width);
  }
  const auto roomBeside = [&](const std::string& name) {
    return width - textSize(fonts.name, name).x - look.px(kGap);
  };
  const float beside = textSize(fonts.words, words.beside).x;
  const bool whole = !tiny && (words.beside.empty() || beside <= roomBeside(title.name));
  const std::string& name = whole ? title.name : title.shortName;
  const float pitch = lineHeight(look, fonts.words);
  const float bottom = a.y - look.px(4);
  const float top = bottom - static_cast<float>(lines - 1) * pitch - fontSize(fonts.name);
  drawText(list, fonts.name, {a.x, top}, color, name);
  if (!words.beside.empty() && beside <= roomBeside(name)) {
    const float baseline = top + fontAscent(fonts.name);
    drawText(list, fonts.words, {a.x + width - beside, baseline - fontAscent(fonts.words)}, muted,
             words.beside);
  }
  float y = top + fontSize(fonts.name) + look.px(2);
  for (const std::string& line : words.below) {
    drawText(list, fonts.words, {a.x, y}, muted, elided(fonts.words, line, width));
    y += pitch;
  }
}

}  // namespace headscope::ui
