// Learn page: the list of lessons with the progress in each.
#pragma once

#include <memory>

#include "app/ui/learn/lesson_run.h"
#include "app/ui/page.h"

namespace headscope::ui {

std::unique_ptr<Page> makeLearnPage(LessonRun& run);

}  // namespace headscope::ui
