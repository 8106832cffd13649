// Scenes: the numbered bookmarks of state and view, as a list in which they are set, titled,
// recalled and removed.
#pragma once

#include <string>
#include <vector>

#include "core/formats/session.h"

namespace headscope::ui {

struct PanelContext;
struct Selection;

struct ScenesPanel {
  const std::vector<formats::SavedScene>* scenes = nullptr;  // of the session; valid in this frame
  int shown = 0;  // the number of the scene last set or recalled; 0: none
};

/// Fills the rest of the current card.
void scenesPanel(const PanelContext& panel, const ScenesPanel& list);

/// The initial title of a scene of this view: "Score, head 1", "Stage, head 2".
std::string firstTitle(const Selection& selection);

}  // namespace headscope::ui
