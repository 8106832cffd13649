// Session menu: what the session is called, whether it is saved, and opening and saving it.
#pragma once

#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

struct SessionMenu {
  std::string name;  // empty: not saved yet
  bool unsaved = false;
  // asked for in this frame
  bool open = false, save = false, saveAs = false, scenes = false;
};

float sessionMenuWidth(const Look& look, const SessionMenu& menu);
/// A button at the cursor, its menu below.
void sessionMenu(const Look& look, SessionMenu& menu);

}  // namespace headscope::ui
