// Lesson pictures: the drawing of a lesson in the list.
#pragma once

#include <string_view>

#include "app/ui/frame_context.h"

namespace headscope::ui {

/// The names of the drawings: "arcs", "matrix", …
bool isLessonPicture(std::string_view name);
/// Draws the idea of a lesson, without any number, into a rectangle.
void drawLessonPicture(const FrameContext& look, ImDrawList* list, std::string_view name,
                       const Rect& at);

}  // namespace headscope::ui
