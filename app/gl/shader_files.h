// Shader files: the GLSL under shaders/, embedded at build time.
#pragma once

#include <string_view>

namespace headscope::gl {

/// Contents of shaders/<name>. Throws std::out_of_range: a missing shader is our mistake.
std::string_view shaderFile(std::string_view name);

}  // namespace headscope::gl
