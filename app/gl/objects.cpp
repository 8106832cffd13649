#include "app/gl/objects.h"

namespace headscope::gl {

template <ObjectKind kind>
Object<kind>::Object() {
  if constexpr (kind == ObjectKind::texture) glGenTextures(1, &id_);
  if constexpr (kind == ObjectKind::buffer) glGenBuffers(1, &id_);
  if constexpr (kind == ObjectKind::vertexArray) glGenVertexArrays(1, &id_);
  if constexpr (kind == ObjectKind::framebuffer) glGenFramebuffers(1, &id_);
  if constexpr (kind == ObjectKind::renderbuffer) glGenRenderbuffers(1, &id_);
}

template <ObjectKind kind>
Object<kind>::~Object() {
  if (id_ == 0) return;
  if constexpr (kind == ObjectKind::texture) glDeleteTextures(1, &id_);
  if constexpr (kind == ObjectKind::buffer) glDeleteBuffers(1, &id_);
  if constexpr (kind == ObjectKind::vertexArray) glDeleteVertexArrays(1, &id_);
  if constexpr (kind == ObjectKind::framebuffer) glDeleteFramebuffers(1, &id_);
  if constexpr (kind == ObjectKind::renderbuffer) glDeleteRenderbuffers(1, &id_);
}

template class Object<ObjectKind::texture>;
template class Object<ObjectKind::buffer>;
template class Object<ObjectKind::vertexArray>;
template class Object<ObjectKind::framebuffer>;
template class Object<ObjectKind::renderbuffer>;

}  // namespace headscope::gl
