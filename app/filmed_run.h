// Filmed run: a training run that a film looks at, step by step, while it stays another program's.
#pragma once

#include <memory>

#include "app/live_language.h"
#include "app/live_training.h"

namespace headscope {

struct FilmedRun {
  std::shared_ptr<LiveTraining::Live> task;  // null: none, as the next
  std::shared_ptr<LiveLanguage::Live> language;
};

}  // namespace headscope
