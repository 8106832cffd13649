// The tasks, one per file of this folder; task.h offers them.
#pragma once

#include "core/training/task.h"

namespace headscope::training {

const Task& cardsTask();
const Task& recallTask();
const Task& inductionTask();
const Task& grammarTask();
const Task& sensorTask();
const Task& pointerTask();
const Task& bracketsTask();

}  // namespace headscope::training
