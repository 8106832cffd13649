// Session controls: the menu with the session's name, and the offer to restore unsaved work after
// the program ended.
#pragma once

#include <string>

#include "app/ui/frame_context.h"

namespace headscope::ui {

struct PanelContext;

struct SessionMenu {
  std::string name;  // empty: not saved yet
  bool unsaved = false;
};

float sessionMenuWidth(const FrameContext& look, const SessionMenu& menu);
/// Draws the commands on a session as menu items.
void sessionItems(const PanelContext& panel);
/// Draws a button at the cursor and its menu below.
void sessionMenu(const PanelContext& panel, const SessionMenu& menu);

enum class Recovery { undecided, restore, discard };

/// Draws the offer to restore, centred in the window below `top`. `question` describes the unsaved
/// work; `height` receives the banner's height with its gaps.
Recovery recoveryBanner(const FrameContext& look, const std::string& question, float top,
                        float& height);

}  // namespace headscope::ui
