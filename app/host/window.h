// Window: the host with a real window (GLFW). Draws only when something has happened.
#pragma once

#include <filesystem>

#include "app/app.h"

namespace headscope::host {

struct WindowOptions {
  int width = 1600;  // at interface scale 1; made to fit the monitor
  int height = 1000;
  std::filesystem::path shaderDir;  // empty: the built-in shaders
  bool keepScale = false;  // the interface's scale was chosen: the monitor's does not count
};

/// Whether the environment names a display (DISPLAY or WAYLAND_DISPLAY), where the system needs one
/// named.
bool displayNamed();

/// Runs until the window is closed; the program's exit status. Throws UserError without a display
/// or without OpenGL 3.3.
int runWindow(App& app, const WindowOptions& options);

}  // namespace headscope::host
