// Scenes: the numbered bookmarks of state and view, as a list in which they are set, titled,
// recalled and removed.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "core/formats/session.h"

namespace headscope::ui {

/// The requests of the list: the number of a scene each, or 0.
struct SceneWishes {
  int recall = 0;
  int set = 0;
  int remove = 0;
  int reword = 0;
  formats::SceneWords words;
};

struct ScenesPanel {
  const std::vector<formats::SavedScene>* scenes = nullptr;  // of the session; valid in this frame
  int shown = 0;  // the number of the scene last set or recalled; 0: none
  SceneWishes wishes = {};
};

/// Fills the rest of the current card.
void scenesPanel(const PanelContext& panel, ScenesPanel& list);

/// The initial title of a scene of this view: "Score, head 1".
std::string firstTitle(const ViewState& view);

}  // namespace headscope::ui
