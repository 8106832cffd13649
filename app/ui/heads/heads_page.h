// Heads page: all heads at once, where they look, what they measure and what goes without them.
#pragma once

#include <memory>

#include "app/ui/page.h"

namespace headscope::ui {

/// Where the cards stand in content of this size.
struct HeadsLayout {
  Rect allHeads, looks, figures, similarity, effects;
};
HeadsLayout layoutHeads(ImVec2 content, float scale, const HeadsView& view = {});

/// What they take of a body of this size: more than it where it is small, so that it scrolls. In a
/// narrow one they stand below each other, beside a bar of this width to scroll by.
ImVec2 headsContent(ImVec2 body, float scale, float scrollBar, const HeadsView& view);

std::unique_ptr<Page> makeHeadsPage();

}  // namespace headscope::ui
