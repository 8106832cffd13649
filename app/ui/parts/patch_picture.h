// Patch picture: an image again, of the patches that it was cut into: where each token lies.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/panel.h"
#include "core/input/input.h"

namespace headscope::ui {

class PatchPicture {
 public:
  /// Of a series with the channels red, green and blue (0 to 1), row and column; else nothing. Rows
  /// without a whole place, as a class token, are no part of the picture.
  static std::optional<PatchPicture> of(const Input& input, Index item);

  /// In a square; `query` and `key` are the tokens to frame, −1 for none.
  void draw(const FrameContext& look, ImDrawList* list, const Rect& at, Index query,
            Index key) const;

 private:
  struct Patch {
    Index token = 0, row = 0, column = 0;
    ImU32 color = 0;
  };
  std::vector<Patch> patches_;
  Index side_ = 1;  // patches along it
};

/// That of the document's image at the cursor, the tokens looked at framed; larger while the mouse
/// is on it. False where the input is no image.
bool patchPictureHere(const PanelContext& panel, float side);

}  // namespace headscope::ui
