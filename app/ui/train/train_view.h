// TrainView: which run the train page shows, and how; a part of the view. The run itself is not.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/index.h"

namespace headscope::ui {

/// What stands in the page's middle.
enum class TrainTab { live, overSteps, headCounts, scale, headOff };

struct TrainView {
  std::string task = "cards";
  Index layers = 0, dModel = 0, heads = 0;  // 0: as the task suggests
  std::uint64_t seed = 1;
  Index example = 0;
  TrainTab tab = TrainTab::live;
  Index relation = 0;  // whose partners the example's arrows show
};

}  // namespace headscope::ui
