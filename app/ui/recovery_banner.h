// Recovery banner: offers what was not saved when a program ended.
#pragma once

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

enum class Recovery { undecided, restore, discard };

/// `question`: what there is. Below the top bar, over everything else.
Recovery recoveryBanner(const Look& look, const std::string& question, float top);

}  // namespace headscope::ui
