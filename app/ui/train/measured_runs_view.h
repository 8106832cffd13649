// Measured runs view: what models of other sizes learned from the same stories: when they answered
// each question, and the curves of one question.
#pragma once

#include <cstddef>

#include "app/ui/frame_context.h"

namespace headscope::ui {

/// Draws into the rest of the card. A click on a question's heading changes `question`.
void measuredRunsView(const FrameContext& look, std::size_t& question);

}  // namespace headscope::ui
