// Dimension fields: d_model, heads and tokens in the top bar, with d_k as their quotient. Typed
// values that do not fit together stay as a draft, with the reason and the nearest valid values.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/frame_context.h"
#include "app/ui/top_bar.h"

namespace headscope::ui {

class WrappingRow;

/// A bar narrower than `kRoomy` writes less; below `kNarrow` it omits what is shown elsewhere, so
/// that it stays one row. Widths in points at scale 1.
inline constexpr float kRoomy = 1720.0F;
inline constexpr float kNarrow = 1560.0F;
inline bool barIsCompact(const FrameContext& look, const TopBarMemory& memory) {
  return memory.width < look.px(kRoomy);
}
inline bool barIsNarrow(const FrameContext& look, const TopBarMemory& memory) {
  return memory.width < look.px(kNarrow);
}

/// Underlines a term whose text is vertically centred on the current row's frame.
void underlineInRow(const FrameContext& look, ImVec2 at, ImFont* font, float width);

/// Returns the name under which a lesson lights a field (FrameState::spotlight holds such names and
/// those of cards).
inline std::string litField(std::string_view field) { return "field " + std::string(field); }

/// Draws the fields at the next places of the row.
void dimensionFields(const PanelContext& panel, TopBarMemory& memory, WrappingRow& row);

}  // namespace headscope::ui
