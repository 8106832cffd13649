// The next scene of a lesson as a slide, for whoever gives the lecture.
#include <utility>

#include "app/ui/learn/lesson_run.h"
#include "core/document/trace.h"

namespace headscope::ui {

std::optional<LessonRun::Slide> LessonRun::nextSlide() {
  if (!open() || isLast() || !lesson().model.empty()) return std::nullopt;
  Slide slide{startOf(scene_ + 1), viewOf(scene_ + 1)};
  slide.view.selection.focus.clear();
  return slide;
}

}  // namespace headscope::ui
