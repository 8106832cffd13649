#include "app/host/offscreen.h"

#include "app/gl/error.h"

namespace headscope::host {
namespace {

constexpr int kMostAnimationFrames = 60;  // a second; what plays on has no rest to wait for

}  // namespace

Offscreen::Offscreen(int width, int height, const std::filesystem::path& shaderDir)
    : headless_(width, height), target_(width, height), painter_(headless_.session(), shaderDir) {}

Image Offscreen::drawFrame(App& app) {
  headless_.frame(app);
  target_.bind();
  painter_.paint(app, target_.width(), target_.height());
  gl::checkErrors("drawing offscreen");
  return target_.read();
}

Image Offscreen::draw(App& app, int frames) {
  app.finish();
  headless_.frames(app, frames - 1);
  for (int i = 0; i < kMostAnimationFrames && app.wantsFrame(); ++i) headless_.frame(app);
  app.finish();  // what the panels have asked to be computed
  return drawFrame(app);
}

}  // namespace headscope::host
