#include "app/gl/error.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

namespace headscope::gl {
namespace {

std::string_view nameOf(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    default:
      return "an unknown GL error";
  }
}

}  // namespace

void checkErrors(std::string_view where) {
  const GLenum error = glGetError();
  if (error != GL_NO_ERROR) throw Error(fmt::format("{}: {}", where, nameOf(error)));
}

}  // namespace headscope::gl
