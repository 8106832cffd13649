// Tile title: what stands above a head's picture: its number, what it is made for and what it
// measures as, on as many lines as there is room for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/figures.h"
#include "app/ui/panel.h"

namespace headscope::ui {

inline constexpr float kTinyTile = 56.0F;  // points; smaller pictures stand closer, with a number

struct TileTitle {
  std::string name;       // "Head 3"
  std::string shortName;  // "3": where there is no room for more
  std::string figure;     // "max 0.83", "off": stands where there is room for anything
  std::string made;       // "Verb → its subject", or what it measures as
  std::string measured;   // a designed head's: what it measures as
  std::string both;       // in place of the two, where there is one line for them; may be empty
};

/// Made and measured of a head. `figures` may be null: not measured yet.
TileTitle headTitle(const Panel& panel, const Figures* figures, Index head);

/// "previous token 0.87: previous_token is 0.87, at least 0.5": what it is called, and by which
/// rule.
std::string labelWithRule(const HeadLabel& label);

/// That of the head and, of designed weights, what it was made for or why it was not.
std::string headTooltip(const Panel& panel, const Figures* figures, Index head);

/// How many lines all but the longest of them take above pictures of this width: 1 to 3.
int titleLineCount(const Look& look, const std::vector<TileTitle>& titles, float width);
float titleHeight(const Look& look, float width, int lines);

/// Above a picture whose upper left corner is `a`; what has no room is left out.
void drawTileTitle(ImDrawList* list, const Look& look, const TileTitle& title, ImU32 color,
                   ImVec2 a, float width, int lines);

}  // namespace headscope::ui
