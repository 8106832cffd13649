#include "app/gl/shader_files.h"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace headscope {

namespace embedded {
std::span<const std::pair<std::string_view, std::string_view>> shaders();
}

namespace gl {

std::string_view shaderFile(std::string_view name) {
  for (const auto& [path, contents] : embedded::shaders()) {
    if (path == name) return contents;
  }
  throw std::out_of_range("no shader " + std::string(name));
}

}  // namespace gl
}  // namespace headscope
