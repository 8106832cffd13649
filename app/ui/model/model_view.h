// ModelView: what of a whole model is looked at, and how; a part of the view. The model itself is
// not.
#pragma once

#include <optional>
#include <string>

#include "core/index.h"

namespace headscope::ui {

struct ModelView {
  Index layer = 0, head = 0;
  Index token = -1;        // whose prediction is shown; −1: the last one's
  std::string metric;      // its key: the map of a metric in place of the heads' weights
  bool ownScale = false;   // each head to its own largest weight
  bool firstToken = true;  // its column is drawn: many heads rest there
};

}  // namespace headscope::ui
