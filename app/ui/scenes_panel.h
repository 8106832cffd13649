// Scenes: the numbered bookmarks of state and view, as a list to set, title, recall and remove
// them.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "core/formats/session.h"

namespace headscope::ui {

/// What the list asks for: a scene's number, 0 for nothing.
struct SceneWishes {
  int recall = 0;
  int set = 0;
  int remove = 0;
  int reword = 0;
  formats::SceneWords words;
};

struct ScenesPanel {
  const std::vector<formats::SavedScene>* scenes = nullptr;  // of the session, in this frame
  int shown = 0;  // the one that was set or recalled last; 0: none
  SceneWishes wishes = {};
};

/// Fills the rest of the current card.
void scenesPanel(const PanelContext& panel, ScenesPanel& list);

/// What a scene of this view is called at first: "Score, head 1".
std::string firstTitle(const ViewState& view);

}  // namespace headscope::ui
