// epoxy's face in a browser, where WebGL 2 is OpenGL ES 3.0 and Emscripten itself links it.
#pragma once

#include <GLES3/gl3.h>

#define GL_FRAMEBUFFER_SRGB 0x8DB9  // named, never used

inline bool epoxy_is_desktop_gl() { return false; }
inline int epoxy_gl_version() { return 30; }
inline bool epoxy_has_gl_extension(const char*) { return false; }
inline GLenum glGetGraphicsResetStatusARB() { return GL_NO_ERROR; }
