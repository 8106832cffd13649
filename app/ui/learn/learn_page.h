// Learn page: the lessons there are, and what was done of each.
#pragma once

#include <memory>

#include "app/ui/learn/lesson_run.h"
#include "app/ui/page.h"

namespace headscope::ui {

std::unique_ptr<Page> makeLearnPage(LessonRun& run);

}  // namespace headscope::ui
