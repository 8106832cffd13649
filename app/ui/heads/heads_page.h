// Heads page: all heads at once, where they look, their metrics and the effect of their removal.
#pragma once

#include <memory>

#include "app/ui/heads/heads_view.h"
#include "app/ui/page.h"

namespace headscope::ui {

struct HeadsView;

/// The rectangles of the cards in content of this size.
struct HeadsLayout {
  Rect allHeads, looks, figures, similarity, effects;
};
HeadsLayout layoutHeads(ImVec2 content, float scale, const HeadsView& view = {});

/// Returns the size of the content for a body of this size. It exceeds a small body, which then
/// scrolls. In a narrow body the cards stand one below the other, next to a scrollbar of this
/// width.
ImVec2 headsContent(ImVec2 body, float scale, float scrollBar);

std::unique_ptr<Page> makeHeadsPage();

}  // namespace headscope::ui
