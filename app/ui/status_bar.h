// Status bar: messages on the left; steps run, time, parameters and FLOPs on the right.
#pragma once

#include <string>

#include "app/ui/panel.h"
#include "app/worker.h"

namespace headscope::ui {

struct Status {
  std::string message;
  bool isError = false;
  Worker::Progress progress;
};

/// "computing softmax (6 of 9), 1.2 s"
std::string inWords(const Worker::Progress& progress, const AttentionConfig& config);

void statusBar(const Panel& panel, const Status& status, ImVec2 position, ImVec2 size);

}  // namespace headscope::ui
