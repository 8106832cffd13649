// KV cache picture: the token rows of X, Q, K and V (new, cached or not yet reached), and the one
// row of scores, weights and output of the new token.
#pragma once

#include "app/ui/frame_context.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

struct PanelContext;

/// Draws the picture at position view.decodePosition, for the chosen head or for all heads.
void kvCachePicture(const PanelContext& panel, Magnitudes& magnitudes, const Rect& room);

}  // namespace headscope::ui
