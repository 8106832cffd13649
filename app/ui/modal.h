// Modal: the frame of a dialog that lies over the window until it is closed.
#pragma once

#include "app/ui/panel.h"

namespace headscope::ui {

struct ModalFrame {
  const char* id;
  float width;             // in points
  float height;            // where it stands: 0 at the window's top, 1 at its bottom
  bool growsDown = false;  // its top stays where it is when there is more in it
};

/// False where it has been closed; else its contents follow, and endModal. `appears`: it opens now.
bool beginModal(const Look& look, const ModalFrame& frame, bool appears);
void endModal(bool closes);
/// The most height its contents can have without scrolling.
float modalRoom(const Look& look);

}  // namespace headscope::ui
