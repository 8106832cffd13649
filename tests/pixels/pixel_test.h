// PixelTest: a scene drawn offscreen, and its pixels.
#pragma once

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "app/gl/error.h"
#include "app/gl/scene_renderer.h"
#include "app/host/offscreen.h"
#include "app/ui/color_maps.h"

namespace headscope {

constexpr ImU32 kBackground = IM_COL32(255, 0, 255, 255);  // no theme has it

/// Names of GL objects that exist, of every kind we make.
inline int liveGlObjects() {
  int count = 0;
  for (GLuint id = 1; id < 4096; ++id) {
    for (const GLboolean exists :
         {glIsTexture(id), glIsBuffer(id), glIsVertexArray(id), glIsProgram(id), glIsShader(id),
          glIsFramebuffer(id), glIsRenderbuffer(id), glIsSampler(id)}) {
      count += exists == GL_TRUE ? 1 : 0;
    }
  }
  return count;
}

class PixelTest : public testing::Test {
 protected:
  static constexpr int kWidth = 240;
  static constexpr int kHeight = 160;

  PixelTest() {
    scene_.displayWidth = kWidth;
    scene_.displayHeight = kHeight;
    renderer_.emplace(maps_.bytes(), gl::shaderSource());
  }

  void TearDown() override { gl::checkErrors("at the end of the test"); }

  gl::Bounds all() const { return {0, 0, kWidth, kHeight}; }

  void clear() {
    target_.bind();
    glViewport(0, 0, kWidth, kHeight);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
  }

  template <typename Batch>
  host::Image draw(Batch batch, std::optional<gl::Bounds> clip = {}) {
    clear();
    renderer_->beginFrame();
    scene_.clear();
    scene_.commands.push_back({&scene_, std::move(batch)});
    renderer_->draw(scene_, scene_.commands.back(), clip.value_or(all()));
    gl::checkErrors("drawing");
    return target_.read();
  }

  static ImU32 color(const host::Image& image, int x, int y) {
    const std::uint8_t* p = image.at(x, y);
    return IM_COL32(p[0], p[1], p[2], p[3]);
  }

  /// The largest difference of a channel.
  static int difference(ImU32 a, ImU32 b) {
    int most = 0;
    for (const int shift : {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT}) {
      const int p = static_cast<int>(a >> shift & 255U);
      const int q = static_cast<int>(b >> shift & 255U);
      most = std::max(most, std::abs(p - q));
    }
    return most;
  }

  static ImU32 packed(const gl::Rgba& c) {
    return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, c.a});
  }

  host::OffscreenContext context_;
  host::RenderTarget target_{kWidth, kHeight};
  ui::ColorMaps maps_ = ui::ColorMaps::load();
  gl::Scene scene_;
  std::optional<gl::SceneRenderer> renderer_;
};

}  // namespace headscope
