// Presenter: one panel over the whole screen, in large type, for a room to see.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/ui/panel.h"

namespace headscope::ui {

struct Presenter {
  bool on = false;
  Focus panel = Focus::stage;                                   // the one presented
  std::array<Focus, 2> clicked{Focus::stage, Focus::allHeads};  // the last one, of each page
  std::optional<Focus> underMouse;  // found in the last frame of the whole window
};

/// The interface's scale while presenting; the view's own stays as it is.
float presentedScale(float scale);

/// On with the panel whose controls have the keyboard (`card`, if any), else the one under the
/// mouse, else the last one clicked; or off again.
void togglePresenter(Presenter& presenter, const ViewState& view, std::string_view card);
/// A panel of the page that is shown, whichever key changed it.
void followPage(Presenter& presenter, Page page);

/// Before a window's cards, and within each: which of them the mouse is over.
void forgetMouse(Presenter& presenter);
void noteCard(Presenter& presenter, std::string_view card);

/// The keys of presenting alone; true where one was pressed.
bool presenterKeys(Presenter& presenter, const ViewState& view);

/// The line below the panel: where one is, and the keys.
float presenterLineHeight(const Look& look);
void presenterLine(const Panel& panel, const Presenter& presenter, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
