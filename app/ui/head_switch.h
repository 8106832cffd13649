// Head switch: heads off and on again, by switch and by key, and how one that is off is drawn.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

/// Its gain is 0; a head that there is no more, while it fades, is not.
bool isOff(const AttentionConfig& config, Index head);

/// Off where it is on; on, at gain 1, where it is off.
void switchHead(const PanelContext& panel, Index head);
/// All others off; where they are already, all on.
void switchOthersOff(const PanelContext& panel, Index head);
/// Every gain 1.
void switchAllOn(const PanelContext& panel);

/// x and shift+x; true where one was pressed.
bool headSwitchKeys(const PanelContext& panel);

/// A head's switch at the cursor.
void headSwitch(const PanelContext& panel, Index head);
ImVec2 headSwitchSize(const FrameContext& look);

/// Veils the picture of a head that is off, and says so; where there is no room for a word, by a
/// stroke through it.
void drawOff(const FrameContext& look, ImDrawList* list, ImVec2 a, ImVec2 b);
/// The same of a head of the pass; nothing where it is on.
void drawOff(const PanelContext& panel, ImDrawList* list, Index head, ImVec2 a, ImVec2 b);

}  // namespace headscope::ui
