// Examples popup: the texts, series and images that come with the program.
#pragma once

namespace headscope::ui {

struct PanelContext;

/// Draws the popup "examples" while it is open.
void examplesPopup(const PanelContext& panel);

}  // namespace headscope::ui
