// Heads page: all heads at once, where they look, what they measure and what goes without them.
#pragma once

#include <functional>

#include "app/ui/control_focus.h"
#include "app/ui/heads/all_heads.h"
#include "app/ui/heads/effects_card.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/figures_card.h"
#include "app/ui/heads/looks_card.h"
#include "app/ui/heads/similarity_card.h"
#include "app/ui/matrix_view.h"
#include "app/ui/window_layout.h"

namespace headscope::ui {

/// What the page remembers between frames.
struct HeadsMemory {
  FiguresMemory figures;
  AllHeadsMemory allHeads;
  LooksMemory looks;
  FiguresCardMemory figuresCard;
  SimilarityMemory similarity;
  EffectsMemory effects;

  /// `wake` is called from other threads when something that was measured is there.
  void setWake(const std::function<void()>& wake);
  /// Waits until all of it is. True where something is there that the next frame takes.
  bool finish();
};

/// Where the cards stand in a body of this size.
struct HeadsLayout {
  Box allHeads, looks, figures, similarity, effects;
};
HeadsLayout layoutHeads(ImVec2 content, float scale, const HeadsView& view = {});

/// What they take of a body of this size: more than it where it is small, so that it scrolls. In a
/// narrow one they stand below each other, beside a bar of this width to scroll by.
ImVec2 headsContent(ImVec2 body, float scale, float scrollBar, const HeadsView& view);

/// What one of its cards holds. `alone`: no other stands beside it.
void headsCard(const Panel& panel, HeadsMemory& memory, const Figures* figures,
               Magnitudes& magnitudes, Focus card, bool alone = false);

/// Fills the body. `drawCard(id, box, fill)` makes each card. `figures` are those of
/// `memory.figures`: null where nothing fitting was measured yet.
using DrawCard =
    std::function<void(const char* id, const Box& box, const std::function<void()>& fill)>;
void headsPage(const Panel& panel, HeadsMemory& memory, const Figures* figures,
               Magnitudes& magnitudes, const DrawCard& drawCard, ImVec2 body);

}  // namespace headscope::ui
