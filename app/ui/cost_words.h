// Cost words: what a configuration takes, and what twice as much of something would.
#pragma once

#include <string>

#include "core/config.h"

namespace headscope::ui {

/// Two lines for a tooltip: the cost now, and, where it is valid, of the one that is doubled.
std::string costTip(const AttentionConfig& now, const AttentionConfig& doubled);

}  // namespace headscope::ui
