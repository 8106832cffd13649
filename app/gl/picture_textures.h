// Picture textures: the pictures of a scene on the GPU. One is uploaded when its revision changes,
// and freed when frames no longer show it.
#pragma once

#include <cstdint>
#include <map>

#include "app/gl/objects.h"
#include "app/gl/scene.h"

namespace headscope::gl {

class PictureTextures {
 public:
  /// Ages what the frames since have not shown, and frees it.
  void beginFrame();
  /// The picture's texture, uploaded where it is not there in this revision. Changes the texture
  /// bound to the active unit.
  GLuint locate(const PictureSource& source);

  std::uint64_t uploads() const { return uploads_; }
  std::uint64_t bytesUploaded() const { return bytesUploaded_; }
  int count() const { return static_cast<int>(textures_.size()); }

 private:
  struct Kept {
    Texture texture;
    std::uint64_t revision = 0;
    std::uint64_t lastUsed = 0;
    bool filled = false;
  };
  std::map<std::uint64_t, Kept> textures_;  // by the source's key
  std::uint64_t frame_ = 0;
  std::uint64_t uploads_ = 0, bytesUploaded_ = 0;
};

}  // namespace headscope::gl
