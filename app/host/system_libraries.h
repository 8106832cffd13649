// System libraries: what a display and its drivers bring. The program does not ship them, because
// they must fit those drivers, and most commands do without them; where one is missing, a sentence
// names it and the package that has it.
#pragma once

#include <string>

namespace headscope::host {

/// "libX11.so.6 and libGL.so.1, which are not installed: install them (…)", of those that a window
/// needs; empty where all are there.
std::string missingForWindow();
/// The same of those that drawing without a window needs.
std::string missingForDrawing();

}  // namespace headscope::host
