// System libraries: the libraries of a display and its drivers. The program does not ship them,
// because they must fit those drivers, and most commands do not need them. Where one is missing, a
// sentence names it and its package.
#pragma once

#include <string>

namespace headscope::host {

/// Returns the missing libraries that a window needs, "libX11.so.6 and libGL.so.1, which are not
/// installed: install them (…)"; empty where none is missing.
std::string missingForWindow();
/// Returns, likewise, the missing libraries that drawing without a window needs.
std::string missingForDrawing();

/// Returns how a driver of OpenGL gets onto this system: "install a driver (…)".
const char* driverAdvice();

}  // namespace headscope::host
