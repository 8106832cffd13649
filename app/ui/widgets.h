// Widgets: the few building blocks the panels share, drawn in the theme's manner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panel.h"
#include "core/base/numbers.h"
#include "core/words/glossary.h"

namespace headscope::ui {

/// A card (rounded, bordered) as a child window at a place of the display; end() it in any case.
/// Scrolls vertically where `scroll`.
bool beginCard(const char* id, ImVec2 position, ImVec2 size, const FrameContext& look,
               bool scroll = false);
void endCard();

/// "Steps    how it goes": a panel's heading at the cursor; moves the cursor below.
void heading(const FrameContext& look, const char* title, const char* explanation = nullptr);

/// Text at the cursor in a font and colour.
void label(ImFont* font, ImU32 color, std::string_view text);
/// The same, vertically centred on a frame of the current row; stays on the line.
void inlineLabel(const FrameContext& look, ImFont* font, ImU32 color, std::string_view text);

/// Text at the cursor, wrapped to the room there is.
void wrappedLabel(ImFont* font, ImU32 color, std::string_view text);

/// Text cut with "…" where it is wider than `width`.
std::string elided(ImFont* font, std::string_view text, float width);
/// Text with line breaks at spaces, so that no line is wider.
std::string wrapped(ImFont* font, std::string_view text, float width);
ImVec2 textSize(ImFont* font, std::string_view text);
void drawText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color, std::string_view text);
/// Centred on x.
void drawTextCentred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 color,
                     std::string_view text);

/// How wide a button with that text is; what follows ## in it is not shown.
float buttonWidth(const FrameContext& look, std::string_view text);
/// A soft button; `lit` marks a chosen one.
bool pill(const FrameContext& look, const char* text, bool lit = false, bool enabled = true);
/// A check box with its label, which may be rich text.
bool toggle(const FrameContext& look, const char* text, bool* on);
/// As ImGui's, but Escape closes the innermost that is open.
bool beginPopup(const char* id);
bool beginCombo(const char* id, const std::string& shown, ImGuiComboFlags flags = 0);
/// A tooltip for the item before, wrapped; appears once the mouse rests.
void tip(const FrameContext& look, const std::string& text);
/// One at the mouse in this frame, in the lines that the text has.
void tipNow(std::string_view text);
/// As tip, with raised and lowered letters.
void richTip(const FrameContext& look, const std::string& text);

/// A pair or row of choices ("this head | all heads"); gives the one clicked, or −1.
int choices(const FrameContext& look, const char* id, const std::vector<const char*>& texts,
            int chosen);
/// How wide it is, with the gap behind it.
float choicesWidth(const FrameContext& look, const std::vector<const char*>& texts);

// Rows of such items that wrap where there is little width.

/// Puts the next item on the line of the one before, `gap` after it, where `width` more fits.
void flowOn(const FrameContext& look, float width, float gap = 6.0F);
/// A pill on the same line where there is room.
bool flowingPill(const FrameContext& look, const std::string& text, const char* about,
                 bool enabled = true);
/// A small label before what follows it on the line.
void rowCaption(const FrameContext& look, const char* text);

struct Tab {
  const char* title;
  std::string about;  // its tooltip
};
/// A card's heading as a row of tabs; those that do not fit stand behind "more". `explanation`
/// follows where there is room; `kept` stays free at the right. Gives the one clicked, or −1.
int tabRow(const FrameContext& look, const char* id, const std::vector<Tab>& tabs, int chosen,
           const char* explanation = nullptr, float kept = 0.0F);

/// A dotted line below text, `width` wide from `at`: there is something to be asked about it.
void underlineTerm(const FrameContext& look, ImVec2 at, float width);

/// The item before, a line of text in `font`, is a term of the glossary: underlined, and explained
/// by a tooltip that ends with `more`.
void explainItem(const FrameContext& look, ImFont* font, std::string_view term,
                 const std::string& more = {});

/// The frame of a dialog that lies over the window until it is closed.
struct ModalFrame {
  const char* id;
  float width;             // in points
  float height;            // where it stands: 0 at the window's top, 1 at its bottom
  bool growsDown = false;  // its top stays where it is when there is more in it
};

/// False where it has been closed; else its contents follow, and endModal. `appears`: it opens now.
bool beginModal(const FrameContext& look, const ModalFrame& frame, bool appears);
void endModal(bool closes);
/// The most height its contents can have without scrolling.
float modalRoom(const FrameContext& look);

/// Lays items out from left to right and goes on to a next row where one does not fit.
class WrappingRow {
 public:
  /// From `left` to `right` in the current window, `top` below its upper edge; `tight` narrows the
  /// gaps.
  WrappingRow(const FrameContext& look, float left, float right, float top, bool tight = false)
      : look_(look),
        left_(left),
        right_(right),
        x_(left),
        y_(top),
        gaps_(tight ? look.px(0.45F) : look.px(1)) {}

  /// Puts the cursor where an item of `width` goes.
  void place(float width, float gapBefore = 12.0F) {
    const float gap = x_ > left_ ? gaps_ * gapBefore : 0.0F;
    if (x_ > left_ && x_ + gap + width > right_) {
      x_ = left_;
      y_ += ImGui::GetFrameHeight() + look_.px(8);
      ImGui::SetCursorPos({x_, y_});
    } else {
      ImGui::SetCursorPos({x_ + gap, y_});
      x_ += gap;
    }
    x_ += width;
  }
  bool fits(float width, float gapBefore) const { return x_ + gaps_ * gapBefore + width <= right_; }
  /// Where the last line ends.
  float bottom() const { return y_ + ImGui::GetFrameHeight(); }

 private:
  const FrameContext& look_;
  float left_, right_, x_, y_;
  float gaps_;
};

}  // namespace headscope::ui
