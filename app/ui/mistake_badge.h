// Mistake badge: says for as long as a common mistake is on that it is; wherever numbers are shown.
#pragma once

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

/// "mistake on: softmax over the queries"; empty where none is.
std::string mistakesInWords(const AttentionConfig& config);

/// The badge at a place, no wider than `room`; a click opens the tool. Gives the width it takes, 0
/// where no mistake is on.
float mistakeBadge(const Panel& panel, ImVec2 at, float room);
float mistakeBadgeHeight(const Look& look);

}  // namespace headscope::ui
