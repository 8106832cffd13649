// Head switch: switches heads off and on by switch and by key, and draws a head that is off.
#pragma once

#include "app/ui/frame_context.h"
#include "core/base/index.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::ui {

struct PanelContext;

/// Returns whether a head's gain is 0; false for a removed head that still fades out.
bool isOff(const AttentionConfig& config, Index head);

/// Switches a head off, or on at gain 1.
void switchHead(const PanelContext& panel, Index head);
/// Switches all other heads off; if they already are, switches all heads on.
void switchOthersOff(const PanelContext& panel, Index head);
/// Sets every gain to 1.
void switchAllOn(const PanelContext& panel);

/// Handles alt+x and alt+shift+x. Returns true if one was pressed.
bool headSwitchKeys(const PanelContext& panel);

/// Draws a head's switch at the cursor.
void headSwitch(const PanelContext& panel, Index head);
ImVec2 headSwitchSize(const FrameContext& look);

/// Veils the picture of a head that is off and labels it "off"; where the word does not fit, draws
/// a stroke instead.
void drawOff(const FrameContext& look, ImDrawList* list, ImVec2 a, ImVec2 b);
/// Veils the picture of a head of the pass if the head is off.
void drawOff(const PanelContext& panel, ImDrawList* list, Index head, ImVec2 a, ImVec2 b);

}  // namespace headscope::ui
