// Designed words: how a designed head is named and explained wherever heads are shown.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

/// "Verb → its subject"; empty where the head's weights are not designed, or were drawn instead.
std::string designedTitle(const Panel& panel, Index head);

/// What it does, that it was designed, which coordinates meet, and why it cannot; for a head that
/// was drawn in its place, why. Empty where weights are not designed.
std::string designedExplanation(const Panel& panel, Index head);

/// Of all heads: "designed, not learned", "6 of 8 drawn at random"; empty where weights are not
/// designed.
std::string designedInWords(const Panel& panel);

/// A title on one line or two, the second cut where it does not fit.
std::vector<std::string> titleLines(ImFont* font, const std::string& title, float room);

}  // namespace headscope::ui
