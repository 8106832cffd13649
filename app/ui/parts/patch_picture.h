// Patch picture: the input image rebuilt from its patches, which shows where each token lies.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/frame_context.h"
#include "core/formats/pictures/picture.h"
#include "core/input/input.h"

namespace headscope::ui {

struct PanelContext;

class PatchPicture {
 public:
  /// Returns the picture of a series that has the channels red, green and blue (0 to 1), row and
  /// column, or of tokens that a model cut from an image; else none. Tokens without a place in it,
  /// such as a class token, are left out.
  static std::optional<PatchPicture> of(const Input& input, Index item);
  /// Returns of(input, item), with the outlines of the frame's token pictures where they are of X.
  static std::optional<PatchPicture> shown(const FrameContext& look, const Input& input,
                                           Index item);

  /// The largest rectangle of the picture's form in a room, in its middle; `down` as in `placed`.
  Rect within(const Rect& room, float down = 0.5F) const;
  /// Draws the picture in a rectangle of its form: that of the frame's token pictures where they
  /// are of X, else the patches in their mean colours. `query` and `key` are the tokens to frame;
  /// −1: none.
  void draw(const FrameContext& look, ImDrawList* list, const Rect& at, Index query,
            Index key) const;
  /// The patches of `tokens` tokens in the picture drawn at `at`; empty for those without one.
  std::vector<Rect> patches(const Rect& at, Index tokens) const;
  /// The picture with each patch in its mean colour.
  formats::Picture inMeanColours() const;
  /// The places of all tokens: their patches; a token without one, such as a class token, stands at
  /// the left of the picture, one below another.
  std::vector<Rect> places(const Rect& at, Index tokens) const;

 private:
  struct Patch {
    Index token = 0, row = 0, column = 0;
    ImU32 color = 0;  // 0: not known
    Rect part;        // 0 … 1 across the picture
  };
  static std::vector<Patch> patchesOf(const Readings& readings, Index item);
  void layOut();

  Tensor x_;  // of the input
  std::vector<Patch> patches_;
  Index rows_ = 1, columns_ = 1;  // of patches
  float aspect_ = 1.0F;           // its height, where its width is 1
};

/// Draws the document's image at the cursor, frames the query and key under the mouse or chosen,
/// and shows it enlarged in a tooltip. Returns false where the input is no image.
bool patchPictureHere(const PanelContext& panel, float side);

}  // namespace headscope::ui
