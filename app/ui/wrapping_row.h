// Wrapping row: lays items out from left to right and goes on to a next row where one does not fit.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

class WrappingRow {
 public:
  /// From `left` to `right` in the current window, `top` below its upper edge; `tight` narrows the
  /// gaps.
  WrappingRow(const Look& look, float left, float right, float top, bool tight = false)
      : look_(look),
        left_(left),
        right_(right),
        x_(left),
        y_(top),
        gaps_(tight ? look.px(0.7F) : look.px(1)) {}

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
  const Look& look_;
  float left_, right_, x_, y_;
  float gaps_;
};

}  // namespace headscope::ui
