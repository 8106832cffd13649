// ModelView: what of a whole model is looked at, and how; a part of the view. Of the
// model itself only where it is.
#pragma once

#include <optional>
#include <string>

#include "core/index.h"

namespace headscope::ui {

/// Which model is to be open, and on what text.
struct ModelPlace {
  std::string folder;  // or the name of one that comes with the program; empty: none
  std::string text;    // empty: one that suits the model

  bool operator==(const ModelPlace&) const = default;
};

struct ModelView {
  ModelPlace place;
  Index layer = 0, head = 0;
  Index token = -1;        // whose prediction is shown; −1: the last one's
  std::string metric;      // its key: the map of a metric in place of the heads' weights
  bool ownScale = false;   // each head to its own largest weight
  bool firstToken = true;  // its column is drawn: many heads rest there
};

}  // namespace headscope::ui
