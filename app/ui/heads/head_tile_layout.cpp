#include "app/ui/heads/head_tile_layout.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/heads/token_zoom.h"

namespace headscope::ui {
namespace {

constexpr float kMostStretched = 4.0F;   // a picture's longer side to its shorter one
constexpr float kLabelled = 56.0F;       // points of a picture's height, from which it has labels
constexpr float kLongLabelled = 100.0F;  // the same for long inputs
constexpr float kOwnLabels = 120.0F;     // less high ones have them at the grid's edges
constexpr float kLinesStretch = 2.5F;    // a picture of lines need not be a square
constexpr float kKeptForWords = 0.8F;    // of a picture's height, for titles of several lines

TileSpace spaceFor(const HeadTileGroup& group, const Look& look, const TokensShown& shown,
                   ImVec2 room) {
  const auto widthOf = [&](const std::vector<std::string>& labels) {
    return labelWidth(group.font, labels, look.px(64)) + look.px(10);
  };
  TileSpace space;
  space.count = group.count();
  space.room = room;
  space.aspect = pictureAspect(shown, group.lines);
  space.left = widthOf(shown.queryLabels);
  space.scale = look.scale;
  // of many tokens few labels can stand: not at the cost of the pictures
  const bool many = std::max(shown.queries.count, shown.keys.count) > kShortInput;
  space.labelledFrom = many ? kLongLabelled : kLabelled;
  space.edgesBelow = kOwnLabels;
  if (group.lines) {
    space.stretch = kLinesStretch;
    space.left = std::max(space.left, widthOf(shown.keyLabels));
    space.right = space.left;
    return space;
  }
  space.below = look.px(32);
  space.belowFlat = fontSize(group.font) + look.px(5);
  const float widest = labelWidth(group.font, shown.keyLabels, room.x);
  space.flatFrom = (widest + 4.0F) * static_cast<float>(shown.keys.count);
  return space;
}

/// With titles of at most so many lines; gives the height of a picture.
float fitTitles(HeadTileGroup& group, const Look& look, TileSpace space, int most) {
  std::vector<TileTitle> titles;
  for (const HeadTile& tile : group.tiles) titles.push_back(tile.title);
  // the size of the letters follows from the width, which follows from what they leave
  constexpr int kRounds = 5;
  float width = look.px(200);
  for (int i = 0; i < kRounds; ++i) {
    const float before = width;
    group.titleLines = std::min(most, titleLineCount(look, titles, width));
    space.title = titleHeight(look, width, group.titleLines);
    space.gap = width < look.px(kTinyTile) ? 6.0F : 12.0F;
    group.grid = layoutTiles(space);
    width = group.grid.size.x;
    if (width == before) break;
  }
  return group.grid.size.y;
}

}  // namespace

ImVec2 pictureAspect(const TokensShown& shown, bool lines) {
  if (lines) return {1.0F, 1.0F};
  const ImVec2 aspect = matrixAspect(shown.queries.count, shown.keys.count);
  return {std::min(aspect.x, kMostStretched), std::min(aspect.y, kMostStretched)};
}

float usedHeight(const HeadTileGroup& group) {
  const TileGrid& grid = group.grid;
  return static_cast<float>(grid.rows - 1) * grid.place.y + grid.title + grid.size.y + grid.below;
}

void layOutHeadTiles(HeadTileGroup& group, const Look& look, const TokensShown& shown,
                     ImVec2 origin, ImVec2 room) {
  group.font = group.count() <= 4 ? look.fonts.small : look.fonts.tiny;
  const TileSpace space = spaceFor(group, look, shown, room);
  const float most = fitTitles(group, look, space, 1);
  for (const int lines : {3, 2, 1}) {
    if (fitTitles(group, look, space, lines) >= most * kKeptForWords) break;
  }
  // in the middle of their places
  const bool own = group.grid.labels == TileLabels::each;
  const float used = group.grid.size.x + (own ? space.left + space.right : 0.0F);
  const float over = (group.grid.place.x - used) * 0.5F - look.px(4);
  group.origin = {origin.x + std::max(0.0F, over), origin.y};
}

}  // namespace headscope::ui
