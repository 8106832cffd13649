// Token pictures: the patches of an image that are the tokens of a document, as small pictures.
#pragma once

#include <imgui.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "app/gl/scene.h"
#include "app/ui/parts/layout.h"
#include "core/tensor/tensor.h"

namespace headscope::ui {

struct FrameContext;
class Table;

struct TokenPictures {
  Tensor x;                   // of the document whose tokens they are
  gl::PictureSource picture;  // the whole image
  std::vector<Rect> parts;    // of each token, 0 … 1 across the image; empty: it is no patch

  bool has(Index token) const {
    return token >= 0 && token < std::ssize(parts) &&
           !parts[static_cast<std::size_t>(token)].empty();
  }
  /// Draws the patches of some tokens, each in its rectangle.
  void draw(const FrameContext& look, ImDrawList* list,
            const std::vector<std::pair<Index, Rect>>& tokens) const;
  /// Draws the patches of an axis with `count` tokens along a strip, from left to right or from top
  /// to bottom, as large as it allows; where tokens are narrow only one of several.
  void drawAlong(const FrameContext& look, ImDrawList* list, const Rect& strip, Index count,
                 bool down) const;
};

/// Draws the patch of a token of X at the beginning of a line and cuts its room off, in all lines
/// of an image alike; draws nothing where X is no image's.
void patchAtStart(const FrameContext& look, ImDrawList* list, const Tensor& x, Index token,
                  Rect& line);
/// Draws the patch of a token at the beginning of a table's next cell; null and other tokens have
/// none.
void patchInCell(const FrameContext& look, Table& table, const TokenPictures* pictures,
                 Index token);
/// Draws the patch of a token at the cursor, in the height of a line of text, and stays on the
/// line.
void patchInLine(const FrameContext& look, const Tensor& x, Index token);
/// Draws the patches of tokens in the tooltip of this frame, below its text; tokens that are no
/// patches have none.
void patchesInTip(const FrameContext& look, const TokenPictures& pictures,
                  std::initializer_list<Index> tokens);
/// Draws the patch of a token in front of a button, and stays on the line; null and other tokens
/// have none.
void patchBeforeButton(const FrameContext& look, const TokenPictures* pictures, Index token);

}  // namespace headscope::ui
