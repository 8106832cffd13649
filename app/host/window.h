// Window: the host with a real window (GLFW). It draws only after an event or a change.
#pragma once

#include <filesystem>

#include "app/app.h"

namespace headscope::host {

struct WindowOptions {
  int width = 1600;  // at interface scale 1; reduced to fit the monitor
  int height = 1000;
  std::filesystem::path shaderDir;  // empty: the built-in shaders
  bool keepScale = false;           // the user chose the interface scale; ignores the monitor's
};

/// Returns whether the environment names a display (DISPLAY or WAYLAND_DISPLAY), on systems that
/// need one.
bool displayNamed();

/// Runs until the window is closed. Returns the program's exit status. Throws UserError without a
/// display or without OpenGL 3.3.
int runWindow(App& app, const WindowOptions& options);

}  // namespace headscope::host
