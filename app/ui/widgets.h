// Widgets: the few building blocks the panels share, drawn in the theme's manner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "core/words/numbers.h"

namespace headscope::ui {

/// A card (rounded, bordered) as a child window at a place of the display; end() it in any case.
/// Scrolls vertically where `scroll`.
bool beginCard(const char* id, ImVec2 position, ImVec2 size, const Look& look, bool scroll = false);
void endCard();

/// "Steps    how it goes": a panel's heading at the cursor; moves the cursor below.
void heading(const Look& look, const char* title, const char* explanation = nullptr);

/// Text at the cursor in a font and colour.
void label(ImFont* font, ImU32 color, std::string_view text);
/// The same, vertically centred on a frame of the current row; stays on the line.
void inlineLabel(const Look& look, ImFont* font, ImU32 color, std::string_view text);

/// Text at the cursor, wrapped to the room there is.
void wrappedLabel(ImFont* font, ImU32 color, std::string_view text);

/// Text cut with "…" where it is wider than `width`.
std::string elided(ImFont* font, std::string_view text, float width);
ImVec2 textSize(ImFont* font, std::string_view text);
void drawText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color, std::string_view text);
/// Centred on x.
void drawTextCentred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 color,
                     std::string_view text);

/// How wide a button with that text is; what follows ## in it is not shown.
float buttonWidth(const Look& look, std::string_view text);
/// A soft button; `lit` marks a chosen one.
bool pill(const Look& look, const char* text, bool lit = false, bool enabled = true);
/// A check box with its label, which may be rich text.
bool toggle(const Look& look, const char* text, bool* on);
/// As ImGui's, but Escape closes the innermost that is open.
bool beginPopup(const char* id);
bool beginCombo(const char* id, const std::string& shown, ImGuiComboFlags flags = 0);
/// A tooltip for the item before, wrapped; appears once the mouse rests.
void tip(const Look& look, const std::string& text);
/// The same with raised and lowered letters.
void richTip(const Look& look, const std::string& text);

/// A pair or row of choices ("this head | all heads"); gives the one clicked, or −1.
int choices(const Look& look, const char* id, const std::vector<const char*>& texts, int chosen);
/// How wide it is, with the gap behind it.
float choicesWidth(const Look& look, std::initializer_list<const char*> texts);

// Rows of such items that wrap where there is little width.

/// Puts the next item on the line of the one before, `gap` after it, where `width` more fits.
void flowOn(const Look& look, float width, float gap = 6.0F);
/// A pill on the same line where there is room.
bool flowingPill(const Look& look, const std::string& text, const char* about, bool enabled = true);
/// A small label before what follows it on the line.
void rowCaption(const Look& look, const char* text);
/// Small text below them, wrapped to the room there is.
void sentence(const Look& look, ImU32 color, std::string_view text);

struct Tab {
  const char* title;
  std::string about;  // its tooltip
};
/// A card's heading as a row of tabs; those that do not fit stand behind "more". `explanation`
/// follows where there is room; `kept` stays free at the right. Gives the one clicked, or −1.
int tabRow(const Look& look, const char* id, const std::vector<Tab>& tabs, int chosen,
           const char* explanation = nullptr, float kept = 0.0F);

}  // namespace headscope::ui
