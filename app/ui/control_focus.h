// Control focus: moves the keyboard between the buttons and fields of cards, so that none needs the
// mouse. F2 goes from card to card, arrows from control to control, space presses, esc returns the
// arrows to the picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/frame_context.h"

namespace headscope::ui {

struct ControlFocus {
  bool on = false;
  std::string card;                // the card whose controls have the keyboard
  std::vector<std::string> cards;  // the cards of the current frame, in drawing order
  bool arriving = false;           // the card's first control takes the keyboard when drawn
};

/// Handles the keys that move between controls, beginning at the card `first` where it exists.
/// Returns true if nothing else may use this frame's keys. `byTab`: the tab key also begins.
bool controlKeys(ControlFocus& focus, std::string_view first, bool byTab);
/// Clears the last frame's cards and lets the mouse take over. Call before the panels.
void beginCards(ControlFocus& focus);
/// Registers a card, and outlines it while its controls have the keyboard. Call at the start of its
/// content.
void offerCard(ControlFocus& focus, std::string_view card, const FrameContext& look);
/// Draws a ring around the control that has the keyboard. Call after the panels.
void ringControl(const ControlFocus& focus, const FrameContext& look);
/// The hint in the status bar; empty while control focus is off.
std::string controlHint(const ControlFocus& focus);

/// Joins the current child window to its card, as beginPart does: arrow keys move into it and out
/// of it. For child windows that Dear ImGui creates itself.
void joinNavigation();

/// An invisible button that takes the mouse but is not a control: arrows skip it.
bool pictureArea(const char* id, ImVec2 size);

}  // namespace headscope::ui
