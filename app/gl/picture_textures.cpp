#include "app/gl/picture_textures.h"

namespace headscope::gl {
namespace {

constexpr std::uint64_t kFramesKept = 120;

}  // namespace

void PictureTextures::beginFrame() {
  ++frame_;
  std::erase_if(textures_,
                [this](const auto& each) { return each.second.lastUsed + kFramesKept < frame_; });
}

GLuint PictureTextures::locate(const PictureSource& source) {
  Kept& kept = textures_[source.key];
  kept.lastUsed = frame_;
  glBindTexture(GL_TEXTURE_2D, kept.texture.id());
  if (kept.filled && kept.revision == source.revision) return kept.texture.id();
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, source.width, source.height, 0, GL_RGB, GL_UNSIGNED_BYTE,
               source.rgb.get());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  kept.filled = true;
  kept.revision = source.revision;
  ++uploads_;
  bytesUploaded_ +=
      3 * static_cast<std::uint64_t>(source.width) * static_cast<std::uint64_t>(source.height);
  return kept.texture.id();
}

}  // namespace headscope::gl
