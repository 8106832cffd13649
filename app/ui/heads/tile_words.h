// Tile words: what a head's tile says of it beside its picture.
#pragma once

#include <string>
#include <vector>

#include "app/ui/heads/figures.h"
#include "app/ui/panel.h"

namespace headscope::ui {

struct TileLine {
  ImFont* font = nullptr;
  std::string text;
};

/// Its label, "H 1.41 bits" and "max 0.70", on one line where both fit `room`; what is not defined
/// is left out. Without the label where the head is `named` otherwise.
std::vector<TileLine> tileLines(const Look& look, const HeadReport& report, Index head, float room,
                                bool named);

}  // namespace headscope::ui
