// Token columns: queries on the left and keys on the right, to choose from, and weights as ribbons
// between them; long ones thin out and scroll.
#pragma once

#include <optional>

#include "app/ui/heads/heads_choice.h"
#include "app/ui/heads/looks.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Where the tokens of one column stand: token i at the middle of its row. Pure.
struct TokenColumn {
  TokenRange range;    // tokens that can be scrolled to
  float first = 0.0F;  // the token at the top
  float pitch = 1.0F;  // height of a token
  float top = 0.0F, bottom = 0.0F;

  float y(Index token) const { return top + (static_cast<float>(token) + 0.5F - first) * pitch; }
  Index at(float y) const;
  /// The tokens of which something is seen.
  TokenRange visible() const;
  float shown() const { return (bottom - top) / pitch; }  // tokens, also a part of one
};

/// As high as fits; `scrolled` 0 … 1 where not all do, which `least` (a token's height) decides.
TokenColumn placeColumn(const TokenRange& range, float top, float bottom, float least, float most,
                        float scrolled);
/// How far to scroll so that a token stands in the middle.
float scrolledTo(const TokenColumn& column, Index token);

struct TokenColumns {
  TokenColumn queries, keys;
  float left = 0.0F, right = 0.0F;  // between them the lines run
  LooksAt at;                       // a token under the mouse, else what was given
  std::optional<LooksAt> chosen;    // by a click; −1 of both: no longer

  bool scrolls() const;
};

/// Draws both, with the tokens looked at lit; `scrolled` 0 … 1.
TokenColumns tokenColumns(const Panel& panel, const Rect& room, float scrolled, const LooksAt& at);

/// Gives how many were drawn: those of tokens that are out of sight at both ends are not.
Index drawLines(const Panel& panel, const TokenColumns& columns, const LineChoice& choice);
/// At the other end of the lines of the token looked at, their weights; where none is, nothing.
void drawWeights(const Panel& panel, const TokenColumns& columns, const LineChoice& choice);

}  // namespace headscope::ui
