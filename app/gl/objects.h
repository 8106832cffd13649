// GL objects by value: each owns one name, moves, and deletes it at its end.
#pragma once

#include <epoxy/gl.h>

#include <utility>

namespace headscope::gl {

enum class ObjectKind { texture, buffer, vertexArray, framebuffer, renderbuffer };

template <ObjectKind kind>
class Object {
 public:
  Object();
  ~Object();
  Object(Object&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  GLuint id() const { return id_; }

 private:
  GLuint id_ = 0;
};

using Texture = Object<ObjectKind::texture>;
using Buffer = Object<ObjectKind::buffer>;
using VertexArray = Object<ObjectKind::vertexArray>;
using Framebuffer = Object<ObjectKind::framebuffer>;
using Renderbuffer = Object<ObjectKind::renderbuffer>;

}  // namespace headscope::gl
