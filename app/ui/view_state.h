// ViewState: the choices of what is shown and how, in parts; none of them changes a number. Code
// that needs one part includes that part's header and reads it from PanelContext.
#pragma once

#include "app/ui/frame_state.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/model/model_view.h"
#include "app/ui/preferences.h"
#include "app/ui/selection.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/train/train_view.h"

namespace headscope::ui {

struct ViewState {
  Selection selection;
  Preferences preferences;
  FrameState frame;
  StageView stage;
  HeadsView heads;  // how the heads page shows heads
  TrainView train;
  ModelView model;  // the choices on the page Model
};

/// Resets every chosen head, token and cell, for a document that has others. The manner of display
/// stays.
void resetSelection(ViewState& view);

/// The view with which a lesson begins, whatever the user has chosen before: as at program start,
/// with the user's preferences and model.
ViewState lessonView(const ViewState& own);
/// A view that was set aside, with the preferences that the user has changed since.
ViewState withPreferencesOf(ViewState aside, const ViewState& now);

}  // namespace headscope::ui
