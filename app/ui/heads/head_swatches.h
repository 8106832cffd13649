// Head swatches: a small numbered button in its colour for every head, to draw its lines or not.
#pragma once

#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

/// What they take of this width, at most so many rows high (more scroll).
ImVec2 swatchesSize(const Look& look, Index heads, float width, Index mostRows);

/// A click toggles a head's lines, with ctrl it draws them alone.
void headSwatches(const Panel& panel, const std::vector<Index>& drawn, ImVec2 size);

}  // namespace headscope::ui
