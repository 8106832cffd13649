// The layout of a group's tiles: their size in the room available, their labels, and their titles:
// a head's number, its purpose and its measured label, on as many lines as fit (see all_heads.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/axis_labels.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kTinyTile = 56.0F;       // points; narrower pictures have short titles
constexpr float kWideTitle = 105.0F;     // points; wider pictures have larger letters
constexpr float kMostStretched = 4.0F;   // the largest ratio of a picture's sides
constexpr float kLabelled = 56.0F;       // points; the least height of a labelled picture
constexpr float kLongLabelled = 100.0F;  // points; that height for long inputs
constexpr float kOwnLabels = 120.0F;     // points; lower pictures share labels at the grid's edges
constexpr float kLinesStretch = 2.5F;    // how far a picture of lines may be stretched
constexpr float kKeptForWords = 0.8F;    // share of the picture height that long titles must leave

// Titles.

struct TitleFonts {
  ImFont* name;
  ImFont* words;
};

bool isTiny(const FrameContext& look, float width) { return width < look.px(kTinyTile); }

TitleFonts titleFontsFor(const FrameContext& look, float width) {
  if (width > look.px(kWideTitle)) return {look.fonts.semibold, look.fonts.small};
  return {look.fonts.small, look.fonts.tiny};
}

float titleLine(const FrameContext& look, const ImFont* font) {
  return fontSize(font) + look.space.thin;
}

/// The words next to the name and on the lines below it.
struct TitleLines {
  std::string beside;
  std::vector<std::string> below;
};

constexpr int kMostTitleLines = 4;  // the name, two for the purpose, the measured label

/// Widths in pixels: of the picture, which decides the fonts, and up to the next tile, for the
/// words.
struct TitleRoom {
  float picture;
  float words;
};

TitleRoom titleRoom(const FrameContext& look, const TileGrid& grid) {
  const float picture = grid.size.x;
  const float place = grid.place.x - look.space.medium;
  return {picture, isTiny(look, picture) ? picture : std::max(picture, place)};
}

/// Returns the words for a title of at most `most` lines, including the name's.
TitleLines titleLinesOf(const FrameContext& look, const TileTitle& title, const TitleRoom& at,
                        int most) {
  const TitleFonts fonts = titleFontsFor(look, at.picture);
  const float width = at.words;
  const float room = width - textSize(fonts.name, title.name).x - look.space.small;
  const auto fits = [&](const std::string& text, float in) {
    return textSize(fonts.words, text).x <= in;
  };
  TitleLines lines;
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
  // show the full purpose before any of the measured label
  if (most > 2 && !words.empty() && !fits(words.front(), width)) {
    const std::vector<std::string> both = titleLines(fonts.words, words.front(), width, 2);
    words.erase(words.begin());
    words.insert(words.begin(), both.begin(), both.end());
  }
  words.resize(std::min(words.size(), static_cast<std::size_t>(most - 1)));
  lines.below = std::move(words);
  return lines;
}

/// Returns the purpose, cut to the room next to the name; empty where less than most of it fits.
std::string cutBeside(const FrameContext& look, const TileTitle& title, const TitleRoom& at) {
  constexpr float kMost = 0.7F;
  const TitleFonts fonts = titleFontsFor(look, at.picture);
  const float room = at.words - textSize(fonts.name, title.name).x - look.space.small;
  const bool enough = room >= kMost * textSize(fonts.words, title.made).x;
  return enough ? elided(fonts.words, title.made, room) : std::string();
}

/// Returns the number of lines that all but the longest titles need in this room.
int titleLineCount(const FrameContext& look, const std::vector<TileTitle>& titles,
                   const TitleRoom& at) {
  if (isTiny(look, at.picture)) return 1;
  // a few long titles are cut: their extra line would be empty in all others
  constexpr std::size_t kFew = 4;  // one title in four
  std::vector<int> counts;
  for (const TileTitle& title : titles) {
    counts.push_back(static_cast<int>(titleLinesOf(look, title, at, kMostTitleLines).below.size()) +
                     1);
  }
  if (counts.empty()) return 1;
  const auto most = counts.end() - 1 - static_cast<std::ptrdiff_t>(counts.size() / kFew);
  std::nth_element(counts.begin(), most, counts.end());
  return *most;
}

/// A title laid out above a picture on a number of lines.
struct ShownTitle {
  ShownTitle(const FrameContext& look, const TileTitle& title, const TitleRoom& at, int lines)
      : fonts(titleFontsFor(look, at.picture)) {
    const bool tiny = isTiny(look, at.picture);  // such tiles show only the number and the figure
    if (tiny) {
      fonts = {look.fonts.tiny, look.fonts.tiny};
      beside = title.figure;
    } else {
      TitleLines words = titleLinesOf(look, title, at, lines);
      beside = std::move(words.beside);
      if (lines == 1 && beside.empty()) beside = cutBeside(look, title, at);
      for (const std::string& line : words.below) {
        below.push_back(elided(fonts.words, line, at.words));
        width = std::max(width, textSize(fonts.words, below.back()).x);
      }
    }
    const float length = textSize(fonts.words, beside).x;
    const auto endOf = [&](const std::string& text) {
      return textSize(fonts.name, text).x + look.space.small;
    };
    const bool whole = !tiny && (beside.empty() || endOf(title.name) + length <= at.words);
    name = whole ? title.name : title.shortName;
    if (endOf(name) + length > at.words) beside.clear();
    if (!beside.empty()) besideAt = std::max(endOf(name), at.picture - length);  // right-aligned
    width = std::max(width, beside.empty() ? textSize(fonts.name, name).x : besideAt + length);
  }

  TitleFonts fonts;
  std::string name, beside;
  std::vector<std::string> below;
  float besideAt = 0.0F;  // offset from the left
  float width = 0.0F;     // width of the widest line
};

float titleHeight(const FrameContext& look, float width, int lines) {
  if (isTiny(look, width)) return look.space.large;
  const TitleFonts fonts = titleFontsFor(look, width);
  const float name = width > look.px(kWideTitle) ? look.space.wide : look.px(18);
  return name + static_cast<float>(lines - 1) * titleLine(look, fonts.words);
}

// Tiles.

float labelsWidth(ImFont* font, std::span<const std::string> texts, Index first, float limit,
                  const AxisCurves& curves = {}) {
  return AxisLabels{texts, font, 0, 0, -1, limit, curves, first}.width();
}

TileSpace spaceFor(const HeadTileGroup& group, const FrameContext& look, const VisibleTokens& shown,
                   ImVec2 room) {
  const auto widthOf = [&](std::span<const std::string> labels, const TokenRange& part) {
    return labelsWidth(group.font, labels, part.first, look.px(64), shown.queryCurves) +
           look.space.medium;
  };
  TileSpace space;
  space.count = group.count();
  space.room = room;
  space.aspect = pictureAspect(shown, group.lines);
  space.left = widthOf(shown.queryLabels, shown.queries);
  space.scale = look.scale;
  // with many tokens few labels fit, so the pictures take precedence
  const bool many = std::max(shown.queries.count, shown.keys.count) > kShortInput;
  space.labelledFrom = many ? kLongLabelled : kLabelled;
  space.edgesBelow = kOwnLabels;
  if (group.lines) {
    space.stretch = kLinesStretch;
    space.left = std::max(space.left, widthOf(shown.keyLabels, shown.keys));
    space.right = space.left;
    return space;
  }
  const float curves = shown.keyCurves.room(group.font);
  space.below = look.px(32) + curves;
  space.belowFlat = fontSize(group.font) + look.px(5) + curves;
  const float widest = labelsWidth(group.font, shown.keyLabels, shown.keys.first, room.x);
  space.flatFrom = (widest + 4.0F) * static_cast<float>(shown.keys.count);
  return space;
}

/// The fit of a group whose titles have at most a given number of lines.
struct TitleFit {
  float height;  // height of a picture
  bool whole;    // whether all but a few titles have the lines they need
};
TitleFit fitTitles(HeadTileGroup& group, const FrameContext& look, TileSpace space, int most) {
  std::vector<TileTitle> titles;
  for (const HeadTile& tile : group.tiles) titles.push_back(tile.title);
  // the font depends on the width, which depends on the room that the titles leave
  constexpr int kRounds = 5;
  TitleRoom at{look.px(200), look.px(200)};
  for (int i = 0; i < kRounds; ++i) {
    const float before = at.picture;
    group.titleLines = std::min(most, titleLineCount(look, titles, at));
    space.title = titleHeight(look, at.picture, group.titleLines);
    space.gap = isTiny(look, at.picture) ? 6.0F : 12.0F;
    group.grid = layoutTiles(space);
    at = titleRoom(look, group.grid);
    if (at.picture == before) break;
  }
  return {group.grid.size.y, titleLineCount(look, titles, at) <= group.titleLines};
}

}  // namespace

TileTitle headTitle(const PanelContext& panel, const Figures* figures, Index head) {
  const auto at = static_cast<std::size_t>(head);
  TileTitle title;
  title.name = fmt::format("Head {}", head + 1);
  title.shortName = std::to_string(head + 1);
  const HeadLabel* label = figures == nullptr ? nullptr : &figures->report.labels[at];
  const bool said = panel.purposes != nullptr && at < panel.purposes->size();
  if (!said) {
    if (label != nullptr) title.made = labelWithScore(*label);
    return title;
  }
  const HeadPurpose& made = (*panel.purposes)[at];
  const bool drawn = made.kind == HeadPurpose::Kind::drawn;
  title.made = drawn ? "random" : made.title;
  if (label == nullptr) return title;
  const bool own = label->declared && label->key == made.title;
  if (own) title.both = labelWithScore(*label);
  title.measured =
      own  // the label equals the purpose, which the title already shows
          ? fmt::format("here {:.2f} (n = {})", label->score.value_or(0.0), label->rows)
          : (drawn || !label->score ? "" : "here ") + labelWithScore(*label);
  return title;
}

void drawTileTitle(ImDrawList* list, const FrameContext& look, const HeadTile& tile,
                   const TileGrid& grid, ImVec2 corner, int lines) {
  const ShownTitle title(look, tile.title, titleRoom(look, grid), lines);
  const ImU32 muted = look.theme.textMuted;
  const float pitch = titleLine(look, title.fonts.words);
  const float top = corner.y - look.space.tight - static_cast<float>(lines - 1) * pitch -
                    fontSize(title.fonts.name);
  drawText(list, title.fonts.name, {corner.x, top}, tile.color, title.name);
  const float baseline = top + fontAscent(title.fonts.name);
  drawText(list, title.fonts.words,
           {corner.x + title.besideAt, baseline - fontAscent(title.fonts.words)}, muted,
           title.beside);
  float y = top + fontSize(title.fonts.name) + look.space.thin;
  for (const std::string& line : title.below) {
    drawText(list, title.fonts.words, {corner.x, y}, muted, line);
    y += pitch;
  }
}

ImVec2 pictureAspect(const VisibleTokens& shown, bool lines) {
  if (lines) return {1.0F, 1.0F};
  const ImVec2 aspect = matrixAspect(shown.queries.count, shown.keys.count);
  return {std::min(aspect.x, kMostStretched), std::min(aspect.y, kMostStretched)};
}

float usedHeight(const HeadTileGroup& group) {
  const TileGrid& grid = group.grid;
  return static_cast<float>(grid.rows - 1) * grid.place.y + grid.title + grid.size.y + grid.below;
}

void layOutHeadTiles(HeadTileGroup& group, const FrameContext& look, const VisibleTokens& shown,
                     ImVec2 origin, ImVec2 room) {
  group.font = group.count() <= 4 ? look.fonts.small : look.fonts.tiny;
  const TileSpace space = spaceFor(group, look, shown, room);
  const float least = fitTitles(group, look, space, 1).height * kKeptForWords;
  const auto fits = [&](int lines, bool whole) {
    const TitleFit fit = fitTitles(group, look, space, lines);
    return fit.height >= least && (fit.whole || !whole);
  };
  // the fewest lines that hold the words, else as many as fit
  int lines = 1;
  while (lines <= kMostTitleLines && !fits(lines, true)) ++lines;
  if (lines > kMostTitleLines) {
    lines = kMostTitleLines;
    while (lines > 1 && !fits(lines, false)) --lines;
    if (lines == 1) fitTitles(group, look, space, lines);
  }
  // centres the tiles in their places
  const bool own = group.grid.labels == TileLabels::each;
  float used = group.grid.size.x;
  for (const HeadTile& tile : group.tiles) {
    const TitleRoom at = titleRoom(look, group.grid);
    used = std::max(used, ShownTitle(look, tile.title, at, group.titleLines).width);
  }
  used += own ? space.left + space.right : 0.0F;
  const float over = (group.grid.place.x - used) * 0.5F - look.space.tight;
  group.origin = {origin.x + std::max(0.0F, over), origin.y};
}

}  // namespace headscope::ui
