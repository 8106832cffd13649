// The next scene of a lesson as a slide, for whoever gives the lecture.
#include <optional>

#include "app/ui/learn/lesson_run.h"
#include "core/base/error.h"

namespace headscope::ui {

std::optional<LessonRun::Slide> LessonRun::nextSlide() {
  if (!open() || isLast() || !lesson().model.empty()) return std::nullopt;
  if (scene().predict && !answered_) return std::nullopt;  // its question or answer comes next
  try {
    Slide slide{startOf(scene_ + 1), viewOf(scene_ + 1)};
    slide.view.selection.focus.clear();
    return slide;
  } catch (const UserError&) {  // it is said when the scene opens
    return std::nullopt;
  }
}

}  // namespace headscope::ui
