// Patch map: a row of attention weights over the picture whose patches are its keys.
#pragma once

#include <imgui.h>

#include <span>
#include <vector>

#include "app/ui/frame_context.h"
#include "app/ui/parts/layout.h"

namespace headscope::ui {

/// The largest weight of a row on a patch; `patches` are empty for tokens that are none.
float largestOnPatch(const std::vector<Rect>& patches, const float* row);

/// The weight at which a map is strongest, where maps of several heads are compared: the row's
/// largest, but at least four times that of uniform attention, so that an even row is even and
/// pale.
float fullWeight(std::span<const float> row);

/// Draws the weights of a row over its patches, the more opaque the larger, from 0 to `full`. The
/// picture below stays visible.
void drawPatchMap(const FrameContext& look, ImDrawList* list, const std::vector<Rect>& patches,
                  const float* row, ImU32 color, float full);

/// Draws the colours of a map in the accent's colour from 0 to the row's largest weight, with their
/// meaning, as one line at the cursor. `largest` 0: the rows of several pictures, each up to its
/// own largest.
void patchMapLegend(const FrameContext& look, float largest);

}  // namespace headscope::ui
