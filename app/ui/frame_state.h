// Frame state: what frames find or request while they are drawn, and what is being played. It is
// never saved.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/hover.h"

namespace headscope::ui {

struct FrameState {
  std::optional<Hover> hovered;                          // found in the last frame
  std::optional<std::pair<Index, Index>> hoveredTokens;  // query and key on the model's heads
  std::vector<CellRef> pointed;        // lit on the step view while a tool points at them
  std::optional<CellRef> soughtCell;   // a lesson's arrow goes to it (kSoughtCell)
  std::optional<std::string> inSight;  // the page scrolls to this card, once; "": to its top
  std::vector<std::string> spotlight;  // the cards that a lesson speaks of; the others are dimmed
  bool gradientsThere = false;         // the shown pass has the gradients of Selection::gradients
  bool hidesMistakes = false;          // set while a lesson asks to find the mistakes
  bool typesText = false;              // a sentence is being typed and is not yet complete

  bool asksForSentence = false;  // the sentence shall be typed
  bool fromStage = false;        // Flow shows the numbers of the stage, and Escape goes back
  bool unfolded =
      false;  // a click put numbers under the mouse, which points at none until it moves

  bool stagePlaying = false;   // the journey of the stage
  bool playing = false;        // the timeline
  bool decodePlaying = false;  // the KV cache …
  double decodeShownAt = 0.0;  // … and when the shown token appeared
};

}  // namespace headscope::ui
