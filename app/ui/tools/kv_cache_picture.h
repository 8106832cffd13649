// KV cache picture: the token rows of X, Q, K and V, new, cached or still to come, and the one row
// of scores, weights and output that the new token gives.
#pragma once

#include "app/ui/panel.h"
#include "app/ui/parts/matrix.h"

namespace headscope::ui {

/// At decoding position view.decodePosition, for the chosen head or for all.
void kvCachePicture(const PanelContext& panel, Magnitudes& magnitudes, const Rect& room);

}  // namespace headscope::ui
