// The layout of a group's tiles: their size in the room available, their labels, and their titles:
// a head's number, its purpose and its measured label, on as many lines as fit (see all_heads.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
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
constexpr float kTurnedNames = 0.13F;    // share of the height, the longest turned name
constexpr float kKeptForWords = 0.8F;    // share of the picture height that long titles must leave

// Titles.

constexpr int kMostTitleLines = 4;  // the name, two for the purpose, the measured label

/// A title laid out above a picture.
struct ShownTitle {
  std::string name, right;         // on the first line, left- and right-aligned
  std::vector<std::string> below;  // the lines below
  float rightAt = 0.0F;            // offset of `right` from the left
  float width = 0.0F;              // of the widest line
};

/// The titles above pictures of one width. Words may reach to the next tile.
class Titles {
 public:
  Titles(const FrameContext& look, float picture, float place)
      : tiny(picture < look.px(kTinyTile)),
        look_(look),
        picture_(picture),
        room_(tiny ? picture : std::max(picture, place)),
        wide_(picture > look.px(kWideTitle)) {
    nameFont = wide_ ? look.fonts.semibold : tiny ? look.fonts.tiny : look.fonts.small;
    font = wide_ ? look.fonts.small : look.fonts.tiny;
    line = fontSize(font) + look.space.thin;
  }
  Titles(const FrameContext& look, const TileGrid& grid)
      : Titles(look, grid.size.x, grid.place.x - look.space.medium) {}

  const bool tiny;  // such titles show only the number and the figure
  ImFont* nameFont;
  ImFont* font;
  float line;  // height of a line of words

  float height(int lines) const {
    if (tiny) return look_.space.large;
    return (wide_ ? look_.space.wide : look_.px(18)) + static_cast<float>(lines - 1) * line;
  }

  /// Returns the number of lines that all but the longest titles need.
  int lines(const std::vector<GridTile>& tiles) const {
    if (tiny || tiles.empty()) return 1;
    // a few long titles are cut: their extra line would be empty in all others
    constexpr std::size_t kFew = 4;  // one title in four
    std::vector<int> counts;
    for (const GridTile& tile : tiles) {
      counts.push_back(static_cast<int>(worded(tile.title, kMostTitleLines).below.size()) + 1);
    }
    const auto most = counts.end() - 1 - static_cast<std::ptrdiff_t>(counts.size() / kFew);
    std::nth_element(counts.begin(), most, counts.end());
    return *most;
  }

  ShownTitle shown(const TileTitle& title, int lines) const {
    ShownTitle shown;
    if (tiny) {
      shown.right = title.figure;
    } else {
      shown = worded(title, lines);
      if (lines == 1 && shown.right.empty())
        shown.right = mostOf(title.made, roomAfter(title.name));
    }
    for (std::string& text : shown.below) {
      text = wholeParts(fontOf(text), text, room_);
      shown.width = std::max(shown.width, textSize(fontOf(text), text).x);
    }
    const float length = textSize(font, shown.right).x;
    const bool whole = !tiny && (shown.right.empty() || length <= roomAfter(title.name));
    shown.name = whole ? title.name : title.shortName;
    const float left = roomAfter(shown.name);
    if (length > left) shown.right.clear();
    if (!shown.right.empty()) shown.rightAt = std::max(room_ - left, picture_ - length);
    shown.width = std::max(shown.width, shown.right.empty() ? textSize(nameFont, shown.name).x
                                                            : shown.rightAt + length);
    return shown;
  }

  /// The font of a line below the name: a smaller one where the text would be cut.
  ImFont* fontOf(const std::string& text) const {
    return fits(text, room_) ? font : look_.fonts.tiny;
  }

 private:
  bool fits(const std::string& text, float room) const { return textSize(font, text).x <= room; }
  /// Returns the room to the right of a name.
  float roomAfter(const std::string& name) const {
    return room_ - textSize(nameFont, name).x - look_.space.small;
  }
  /// Returns a text cut to the room; empty where less than most of it fits.
  std::string mostOf(const std::string& text, float room) const {
    constexpr float kMost = 0.7F;
    return room >= kMost * textSize(font, text).x ? wholeParts(font, text, room) : std::string();
  }

  /// Places the words of a title on at most `most` lines, including the name's.
  ShownTitle worded(const TileTitle& title, int most) const {
    ShownTitle shown;
    shown.right = title.figure;
    std::vector<std::string>& words = shown.below;
    for (const std::string& text : {title.made, title.measured}) {
      if (!text.empty()) words.push_back(text);
    }
    if (!words.empty() && shown.right.empty() && fits(words.front(), roomAfter(title.name))) {
      shown.right = words.front();
      words.erase(words.begin());
    }
    if (words.size() == 2) {
      const std::string joined = words[0] + " · " + words[1];
      if (fits(joined, room_)) words = {joined};
    }
    // show the full purpose before any of the measured label
    if (most > 2 && !words.empty() && !fits(words.front(), room_)) {
      const std::vector<std::string> both = titleLines(font, words.front(), room_, 2);
      words.erase(words.begin());
      words.insert(words.begin(), both.begin(), both.end());
    }
    words.resize(std::min(words.size(), static_cast<std::size_t>(most - 1)));
    return shown;
  }

  const FrameContext& look_;
  float picture_, room_;  // widths
  bool wide_;
};

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
  space.aspect = pictureAspect(shown, group.lines  ? GridDrawing::lines
                                      : group.arcs ? GridDrawing::arcs
                                                   : GridDrawing::heatmaps);
  space.scale = look.scale;
  if (group.arcs) {  // the words are the picture
    space.stretch = kLinesStretch;
    space.labelledFrom = std::numeric_limits<float>::max();
    return space;
  }
  space.left = widthOf(shown.queryLabels, shown.queries);
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
  const float longest = std::clamp(room.y * kTurnedNames, look.px(30), look.px(64));
  space.below = ColumnLabels::turnedRoom(
      look, {shown.keyLabels, group.font, 0, 0, -1, longest, shown.keyCurves, shown.keys.first});
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
  // the font depends on the width, which depends on the room that the titles leave
  constexpr int kRounds = 5;
  group.grid.size.x = group.grid.place.x = look.px(200);
  for (int i = 0; i < kRounds; ++i) {
    const float before = group.grid.size.x;
    const Titles titles(look, group.grid);
    group.titleLines = std::min(most, titles.lines(group.tiles));
    space.title = titles.height(group.titleLines);
    space.gap = titles.tiny ? 6.0F : 12.0F;
    group.grid = layoutTiles(space);
    if (group.grid.size.x == before) break;
  }
  return {group.grid.size.y, Titles(look, group.grid).lines(group.tiles) <= group.titleLines};
}

}  // namespace

void drawTileTitle(ImDrawList* list, const FrameContext& look, const GridTile& tile,
                   const TileGrid& grid, ImVec2 corner, int lines) {
  const Titles titles(look, grid);
  const ShownTitle title = titles.shown(tile.title, lines);
  const ImU32 ink = tile.title.holds ? look.theme.text : look.theme.textMuted;
  const float top = corner.y - look.space.tight - static_cast<float>(lines - 1) * titles.line -
                    fontSize(titles.nameFont);
  drawText(list, titles.nameFont, {corner.x, top}, tileColor(look.theme, tile.picture), title.name);
  const float baseline = top + fontAscent(titles.nameFont);
  drawText(list, titles.font, {corner.x + title.rightAt, baseline - fontAscent(titles.font)}, ink,
           title.right);
  float y = top + fontSize(titles.nameFont) + look.space.thin;
  for (const std::string& line : title.below) {
    drawText(list, titles.fontOf(line), {corner.x, y}, ink, line);
    y += titles.line;
  }
}

ImVec2 pictureAspect(const VisibleTokens& shown, GridDrawing drawing) {
  if (drawing == GridDrawing::lines) return {1.0F, 1.0F};
  if (drawing == GridDrawing::arcs) return {2.2F, 1.0F};
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
  const Titles titles(look, group.grid);
  for (const GridTile& tile : group.tiles) {
    used = std::max(used, titles.shown(tile.title, group.titleLines).width);
  }
  used += own ? space.left + space.right : 0.0F;
  const float over = (group.grid.place.x - used) * 0.5F - look.space.tight;
  group.origin = {origin.x + std::max(0.0F, over), origin.y};
}

}  // namespace headscope::ui
