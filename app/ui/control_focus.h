// Control focus: the keyboard on the buttons and fields of a card, so that none needs the mouse. F2
// goes from card to card, arrows from control to control, space presses, esc gives the
// arrows back to the picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

struct ControlFocus {
  bool on = false;
  std::string card;                // whose controls have the keyboard
  std::vector<std::string> cards;  // of the frame being drawn, in their order
  bool arriving = false;           // the card's first control takes it when it is drawn
};

/// The keys of walking through controls, which begins at `first` where there is such a card; true
/// where nothing else may take this frame's keys. `byTab`: the tab key, too, begins it.
bool controlKeys(ControlFocus& focus, std::string_view first, bool byTab);
/// Before the panels: forgets the last frame's cards, and lets the mouse take over.
void beginCards(ControlFocus& focus);
/// At the start of a card's content.
void offerCard(ControlFocus& focus, std::string_view card, const FrameContext& look);
/// After the panels: a ring around the control that has the keyboard, of whichever kind it is.
void ringControl(const ControlFocus& focus, const FrameContext& look);
/// What the status bar says meanwhile; empty while it is off.
std::string controlHint(const ControlFocus& focus);

/// The child window being drawn belongs to the card around it, as beginPart's do: arrow keys walk
/// into it and out of it. For those that Dear ImGui makes itself.
void joinNavigation();

/// An invisible button that takes the mouse but is no control: arrows pass it by.
bool pictureArea(const char* id, ImVec2 size);

}  // namespace headscope::ui
