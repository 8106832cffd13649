// Clipboard picture: the picture that another program has copied. It is asked of X11, under Wayland
// through XWayland, or of Windows; GLFW knows the clipboard's text alone.
#pragma once

#include <functional>
#include <string>

namespace headscope::host {

/// Returns a function that returns the bytes of a PNG, JPEG or WebP file, none where the clipboard
/// has none or its owner does not answer; null on other systems.
std::function<std::string()> clipboardPictures();

}  // namespace headscope::host
