// StageView: the part of the view for the page Stage: the followed word and the place of the
// journey that shows how the word gets to its result.
#pragma once

#include <optional>

#include "core/base/index.h"

namespace headscope::ui {

struct StageView {
  Index word = -1;            // the followed query; −1: the head's best, see HeadStory
  std::optional<double> at;   // place of the journey and the part of it that has passed: 6.5 is the
                              // middle of the seventh place; none: the journey is not under way
  bool settingsOpen = false;  // whether the bars show the settings of the layer
  bool why = false;           // says why the word looks there
  bool numbers = false;       // shows the matrices behind the picture below it

  bool operator==(const StageView&) const = default;
};

}  // namespace headscope::ui
