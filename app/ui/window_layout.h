// Window layout: where the bars and the body stand, for any window size and interface scale.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

struct WindowLayout {
  Rect topBar, tokens, body, status;
};

struct WindowSpace {
  ImVec2 display;
  float topBarHeight;  // as it wrapped in the last frame; 0: not known yet
  float tokenRowHeight;
  float scale;
  float offerHeight = 0.0F;  // of what is offered between the tokens and the body
};

WindowLayout layoutWindow(const WindowSpace& space);

/// A phone held upright: one card at a time has room.
bool isUpright(ImVec2 display, float scale);

// The windows of Dear ImGui the panels stand in.
void beginRoot();
void endRoot();
/// A bar across the window, with a line below it.
void beginBand(const char* id, const Rect& at, const FrameContext& look);
void endBand(const Rect& at, const FrameContext& look);
/// What the cards stand in; scrolls where it is too small for its content, by the wheel too.
void beginBody(const Rect& at, ImVec2 content, const FrameContext& look, bool byWheel);
void endBody();

/// The scene's colours of masked cells and gaps.
void colorScene(gl::Scene& scene, const Theme& theme);

}  // namespace headscope::ui
