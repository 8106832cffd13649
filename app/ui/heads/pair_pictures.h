// Pair pictures: the matrices of two heads and of one head for both, side by side, with their
// numbers.
#pragma once

#include <string>

#include "app/ui/heads/why_several.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// In the rest of the card; the figures are there. Each with its numbers beside it or, where it is
/// larger so, below.
void pairPictures(const Panel& panel, const WhySeveralMemory& memory);

/// "0.41", or why there is none.
std::string scoreText(const Measured& score);

}  // namespace headscope::ui
