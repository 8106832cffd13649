// Heads card: a card of the heads page, or a tab of one. It draws itself from what is measured of
// the heads, and keeps what it remembers between frames.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/heads/figures.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// What a card is given in a frame.
struct HeadsFrame {
  const Panel& panel;
  MeasuredHeads heads;
  Magnitudes& magnitudes;
  bool alone = false;  // no other card stands beside it
};

class HeadsCard {
 public:
  virtual ~HeadsCard() = default;
  /// Fills what is left of the current card.
  virtual void draw(const HeadsFrame& frame) = 0;
  /// What stands at the right end of the tabs' line, for a tab that has such controls, and its
  /// width in points at scale 1.
  virtual void drawControls(const HeadsFrame&) {}
  virtual float controlsWidth() const { return 0.0F; }
  /// The view was opened from a file: what is chosen in it holds.
  virtual void viewOpened(const ViewState&) {}
  /// The mouse is on what the wheel zooms: nothing else scrolls.
  virtual bool takesWheel() const { return false; }
};

using MakeHeadsCard = std::unique_ptr<HeadsCard> (*)();

/// A tab of a card, in the order of the view's enumeration.
struct HeadsTab {
  const char* title;
  const char* about;        // its tooltip
  const char* explanation;  // beside the tabs while it is open
  MakeHeadsCard make;
};

/// A card whose content is that of one of its tabs.
class HeadsTabs {
 public:
  HeadsTabs(const char* id, std::vector<HeadsTab> tabs);
  /// The line of tabs, of which `kept` points at the right end stay free, and below it the content
  /// of the chosen one. Gives the one to be chosen from now on.
  std::size_t drawLine(const HeadsFrame& frame, std::size_t chosen, float kept = 0.0F);
  HeadsCard& content(std::size_t tab) { return *contents_[tab]; }

 private:
  const char* id_;
  std::vector<HeadsTab> tabs_;
  std::vector<std::unique_ptr<HeadsCard>> contents_;
};

/// The switch of a small card that lets it take the whole column: its width, and itself at the
/// right end of the card's first line, which starts at `top`; leaves the cursor alone.
float enlargeSwitchWidth(const Panel& panel, EnlargedCard card);
void enlargeSwitch(const Panel& panel, EnlargedCard card, ImVec2 top);

/// Text at the cursor, wrapped to the room there is.
void wrappedLabel(ImFont* font, ImU32 color, std::string_view text);

/// "cat": a token as shown; "query 3", "key 3", counted from 0, where it has no name.
std::string tokenName(const Panel& panel, Lane lane, Index token);

std::unique_ptr<HeadsCard> makeAllHeadsCard();
std::unique_ptr<HeadsCard> makeLooksCard();
std::unique_ptr<HeadsCard> makeFiguresCard();
std::unique_ptr<HeadsCard> makeSimilarityCard();
std::unique_ptr<HeadsCard> makeEffectsCard();

}  // namespace headscope::ui
