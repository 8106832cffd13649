// Picture: what the program shows, drawn aside from any window there may be.
#pragma once

#include <filesystem>

#include "app/app.h"
#include "app/host/image.h"

namespace headscope::host {

/// Draws it on an OpenGL context of its own. The caller's Dear ImGui context is current again
/// afterwards; of OpenGL none is. Throws UserError where the pass is refused, or without EGL.
Image drawPicture(const PictureRequest& request, const std::filesystem::path& shaderDir = {});

}  // namespace headscope::host
