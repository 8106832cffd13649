// Modal: the frame of a dialog that covers the window until it is closed.
#pragma once

#include "app/ui/frame_context.h"

namespace headscope::ui {

struct ModalFrame {
  const char* id;
  float width;             // in points
  float height;            // vertical position: 0 at the window's top, 1 at its bottom
  bool growsDown = false;  // its top stays in place when the content grows
};

/// Begins a dialog. Returns false if it has been closed; otherwise draw its content and call
/// endModal(). `appears`: it opens in this frame.
bool beginModal(const FrameContext& look, const ModalFrame& frame, bool appears);
void endModal(bool closes);
/// The largest height of the content without scrolling.
float modalRoom(const FrameContext& look);

}  // namespace headscope::ui
