// Lesson pictures: the drawing of a lesson in the list, and what was seen at its end.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/frame_context.h"

namespace headscope {
struct TrainingMoment;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

/// The names of the drawings: "arcs", "matrix", …
bool isLessonPicture(std::string_view name);
/// Draws the idea of a lesson, without any number, into a rectangle.
void drawLessonPicture(const FrameContext& look, ImDrawList* list, std::string_view name,
                       const Rect& at);

/// Draws what a lesson's last scene shows: on the page Train the heads of the run, else the
/// followed word with its arcs, or the weights where there are no words. Returns it in one
/// sentence.
std::string drawSeen(const PanelContext& panel, const TrainingMoment* run, const Rect& at);

}  // namespace headscope::ui
