// Window layout: the places of the bars and the body, for any window size and interface scale.
#pragma once

#include "app/ui/frame_context.h"

namespace headscope::ui {

struct WindowLayout {
  Rect topBar, tokens, body, status;
};

struct WindowSpace {
  ImVec2 display;
  float topBarHeight;  // height after wrapping in the last frame; 0: not known yet
  float tokenRowHeight;
  float scale;
  float offerHeight = 0.0F;  // height of the banner between the tokens and the body
};

WindowLayout layoutWindow(const WindowSpace& space);

/// Returns whether the display is as narrow as an upright phone: only one card fits at a time.
bool isUpright(ImVec2 display, float scale);

// The windows of Dear ImGui that contain the panels.
void beginRoot();
void endRoot();
/// Begins a bar across the window, with a line below it.
void beginBand(const char* id, const Rect& at, const FrameContext& look);
void endBand(const Rect& at, const FrameContext& look);
/// Begins the window of the cards; it scrolls where it is smaller than its content, `byWheel` also
/// by the wheel.
void beginBody(const Rect& at, ImVec2 content, const FrameContext& look, bool byWheel);
void endBody();

/// Sets the scene's colours of masked cells and gaps.
void colorScene(gl::Scene& scene, const Theme& theme);

}  // namespace headscope::ui
