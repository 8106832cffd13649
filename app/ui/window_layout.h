// Window layout: where the bars and panels stand, for any window size and interface scale.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

struct Box {
  ImVec2 at, size;  // size 0: not shown
};

struct WindowLayout {
  Box topBar, tokens, body, status;           // in the display
  ImVec2 content;                             // of the body; larger than it: it scrolls
  Box steps, tools, stage, inspector, heads;  // in the body's content
};

struct WindowSpace {
  ImVec2 display;
  float topBarHeight;  // as it wrapped in the last frame; 0: not known yet
  float tokenRowHeight;
  float scale;
  bool tallTools = false;    // the upper card shows more than the dimension flow
  float offerHeight = 0.0F;  // of what is offered between the tokens and the body
};

WindowLayout layoutWindow(const WindowSpace& space);

// The windows of Dear ImGui the panels stand in.
void beginRoot();
void endRoot();
/// A bar across the window, with a line below it.
void beginBand(const char* id, const Box& box, const Look& look);
void endBand(const Box& box, const Look& look);
/// What the cards stand in; scrolls where the window is too small for them, by the wheel too.
void beginBody(const WindowLayout& layout, const Look& look, bool byWheel);
void endBody();

/// The scene's colours of masked cells and gaps.
void colorScene(gl::Scene& scene, const Theme& theme);

}  // namespace headscope::ui
