// Heads page: all heads at once, where they look, what they measure and what goes without them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/ui/control_focus.h"
#include "app/ui/heads/heads_card.h"
#include "app/ui/window_layout.h"

namespace headscope::ui {

/// Where the cards stand in a body of this size.
struct HeadsLayout {
  Box allHeads, looks, figures, similarity, effects;
};
HeadsLayout layoutHeads(ImVec2 content, float scale, const HeadsView& view = {});

/// What they take of a body of this size: more than it where it is small, so that it scrolls. In a
/// narrow one they stand below each other, beside a bar of this width to scroll by.
ImVec2 headsContent(ImVec2 body, float scale, float scrollBar, const HeadsView& view);

/// Makes a card at a place of the body, and fills it.
using DrawCard =
    std::function<void(const char* id, const Box& box, const std::function<void()>& fill)>;

class HeadsPage {
 public:
  HeadsPage();

  /// Fills a body of this size.
  void draw(const Panel& panel, const DrawCard& drawCard, ImVec2 body);
  /// What one of its cards holds; nothing where `card` is none of them.
  void drawAlone(const Panel& panel, Focus card);
  /// The view was opened from a file.
  void viewOpened(const ViewState& view);
  /// The mouse is on what the wheel zooms: the page does not scroll.
  bool takesWheel() const;

 private:
  std::vector<std::unique_ptr<Card>> cards_;  // in the order of the list of cards
};

}  // namespace headscope::ui
