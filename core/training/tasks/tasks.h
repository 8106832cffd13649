// The tasks, one per file of this folder; task.h offers them. The file of `cards` defines
// cardsTask().
#pragma once

#include "core/training/task.h"

/// All tasks, in the order in which they are offered.
#define HEADSCOPE_TASKS(TASK) \
  TASK(cards)                 \
  TASK(recall)                \
  TASK(induction)             \
  TASK(grammar)               \
  TASK(sensor)                \
  TASK(pointer)               \
  TASK(brackets)

namespace headscope::training {

#define HEADSCOPE_DECLARE_TASK(name) Task name##Task();
HEADSCOPE_TASKS(HEADSCOPE_DECLARE_TASK)
#undef HEADSCOPE_DECLARE_TASK

}  // namespace headscope::training
