// Series marks: shapes that tell apart the curves of things that are no heads, such as questions or
// runs. A hue is a head's alone; these curves have the ink of text, and shapes on them.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <span>

namespace headscope::ui {

/// The number of shapes; they repeat.
inline constexpr std::size_t kSeriesMarks = 8;

/// Draws the n-th shape around a centre; `radius` in pixels.
void drawSeriesMark(ImDrawList* list, ImVec2 centre, float radius, ImU32 color, std::size_t n);

/// Draws the n-th shape along a line, `apart` pixels from each other; those of another n stand
/// elsewhere, so that lines that coincide show all of their shapes.
void drawSeriesMarks(ImDrawList* list, std::span<const ImVec2> line, float radius, float apart,
                     ImU32 color, std::size_t n);

}  // namespace headscope::ui
