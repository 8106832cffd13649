// Widgets: the building blocks that the panels share, in the theme's style.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/frame_context.h"
#include "core/base/numbers.h"
#include "core/words/glossary.h"

namespace headscope::ui {

/// Begins a card (rounded, bordered) as a child window at a place of the display; always call
/// endCard(). Without a frame it has no border and no background.
bool beginCard(const char* id, ImVec2 position, ImVec2 size, const FrameContext& look,
               bool framed = true);
void endCard();

/// Draws a panel's heading with its explanation at the cursor; moves the cursor below.
void heading(const FrameContext& look, const char* title, const char* explanation = nullptr);
/// Returns the parts of a heading's explanation that fit; nothing where not even one does.
std::string explanationIn(const FrameContext& look, const char* explanation, float width);

/// Draws text at the cursor.
void label(ImFont* font, ImU32 color, std::string_view text);
/// Draws text at the cursor, vertically centred on the current row's frame; stays on the line.
void inlineLabel(const FrameContext& look, ImFont* font, ImU32 color, std::string_view text);

/// Draws text at the cursor, wrapped to the available width.
void wrappedLabel(ImFont* font, ImU32 color, std::string_view text);

/// Returns the text, cut with "…" where it is wider than `width`.
std::string elided(ImFont* font, std::string_view text, float width);
/// Returns as many whole parts of the text as fit: parts end before " · ", "; ", ", ", " (" and
/// ": ". The first part is cut with "…" where it alone is wider than `width`.
std::string wholeParts(ImFont* font, std::string_view text, float width);
/// Returns the text with line breaks at spaces, so that no line is wider than `width`.
std::string wrapped(ImFont* font, std::string_view text, float width);
ImVec2 textSize(ImFont* font, std::string_view text);
void drawText(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 color, std::string_view text);
/// Draws text centred horizontally on `centre`.
void drawTextCentred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 color,
                     std::string_view text);

/// Draws a bar whose part 0 … 1 is done.
void drawProgress(const FrameContext& look, ImVec2 corner, ImVec2 size, float done);

/// The width of a button with this text; the part from ## on is not shown.
float buttonWidth(const FrameContext& look, std::string_view text);
/// Draws a soft button; `lit` marks a chosen one. Returns true if it was clicked.
bool pill(const FrameContext& look, const char* text, bool lit = false, bool enabled = true);
/// Notes the place of the previous item, or `at`, where it is the control that a lesson points at,
/// by its text or by its identity behind ##.
void noteControl(const FrameContext& look, std::string_view text);
void noteControl(const FrameContext& look, std::string_view text, const Rect& at);
/// Draws the button of what a card is there for ("Train"), which differs from a chosen pill.
/// Returns true if it was clicked. `width` 0: as wide as its text.
bool primaryPill(const FrameContext& look, const char* text, bool enabled = true,
                 float width = 0.0F);
/// Draws a check box with its label, which may be rich text.
bool toggle(const FrameContext& look, const char* text, bool* on);
/// Like ImGui's functions, except that Escape closes the innermost open popup.
bool beginPopup(const char* id);
bool beginCombo(const FrameContext& look, const char* id, const std::string& shown,
                ImGuiComboFlags flags = 0);
/// Shows a wrapped tooltip for the previous item once the mouse rests.
void tip(const FrameContext& look, const std::string& text);
/// Shows a tooltip in this frame, with the line breaks of the text: next to the pointer, or to
/// the thing that it explains a part of, such as a matrix.
void showTooltip(std::string_view text);
void showTooltip(std::string_view text, const Rect& thing);
/// Shows a tooltip like tip(), with superscripts and subscripts.
void richTip(const FrameContext& look, const std::string& text);

/// Draws a row of choices ("this head | all heads"). Returns the index clicked, or −1.
int choices(const FrameContext& look, const char* id, const std::vector<const char*>& texts,
            int chosen);
/// The width of a row of choices, with the gap after it.
/// Draws a caption and one text of several in a menu, for rows with little room; on the current
/// line where both fit, unless they begin a row. Returns the index of a newly chosen one, or −1.
int menuOf(const FrameContext& look, const char* caption, const char* id,
           const std::vector<std::string>& texts, int chosen, bool beginsRow = false);
float choicesWidth(const FrameContext& look, const std::vector<const char*>& texts);

// Rows of such items that wrap where there is little width.

/// Keeps the next item on the line, `gap` after the previous one, where `width` fits.
void flowOn(const FrameContext& look, float width, float gap = 6.0F);
/// Draws a pill, on the same line where there is room.
bool flowingPill(const FrameContext& look, const std::string& text, const char* about,
                 bool enabled = true);
/// Draws a small label before the other items of a line.
void rowCaption(const FrameContext& look, const char* text);

/// Draws a dotted line below a term, `width` wide from `at`: an explanation is available.
void underlineTerm(const FrameContext& look, ImVec2 at, float width);

/// Marks the previous item, a line of text in `font`, as a term of the glossary: underlines it and
/// adds a tooltip that ends with `more`.
void explainItem(const FrameContext& look, ImFont* font, std::string_view term,
                 const std::string& more = {});

/// Lays out items from left to right and starts a new row where one does not fit.
class WrappingRow {
 public:
  /// A row from `left` to `right` in the current window, `top` below its upper edge; `tight`
  /// narrows the gaps.
  WrappingRow(const FrameContext& look, float left, float right, float top, bool tight = false)
      : look_(look),
        left_(left),
        right_(right),
        x_(left),
        y_(top),
        gaps_(tight ? look.px(0.45F) : look.px(1)) {}

  /// Moves the cursor to the place of an item of this width.
  void place(float width, float gapBefore = 12.0F) {
    const float gap = x_ > left_ ? gaps_ * gapBefore : 0.0F;
    if (x_ > left_ && x_ + gap + width > right_) {
      newLine();
      ImGui::SetCursorPos({x_, y_});
    } else {
      ImGui::SetCursorPos({x_ + gap, y_});
      x_ += gap;
    }
    x_ += width;
  }
  /// Moves the cursor so that an item of this width ends at the right edge; to the next place where
  /// that would cover another item.
  void placeRight(float width, float gapBefore = 12.0F) {
    if (x_ + gaps_ * gapBefore + width > right_) return place(width, gapBefore);
    ImGui::SetCursorPos({right_ - width, y_});
    x_ = right_;
  }
  void newLine() {
    x_ = left_;
    y_ += ImGui::GetFrameHeight() + look_.px(8);
  }
  bool fits(float width, float gapBefore) const { return x_ + gaps_ * gapBefore + width <= right_; }
  /// The lower edge of the last row.
  float bottom() const { return y_ + ImGui::GetFrameHeight(); }

 private:
  const FrameContext& look_;
  float left_, right_, x_, y_;
  float gaps_;
};

}  // namespace headscope::ui
