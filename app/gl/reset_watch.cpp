#include "app/gl/reset_watch.h"

#include <epoxy/gl.h>

#include "app/gl/error.h"

namespace headscope::gl {

ResetWatch::ResetWatch() : watches_(epoxy_has_gl_extension("GL_ARB_robustness")) {}

void ResetWatch::check() const {
  if (!watches_ || glGetGraphicsResetStatusARB() == GL_NO_ERROR) return;
  throw Error(
      "the graphics driver was reset and has lost the window's pictures: start headscope again, "
      "which offers what was not saved");
}

}  // namespace headscope::gl
