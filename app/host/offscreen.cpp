#include "app/host/offscreen.h"

#include "app/gl/error.h"

namespace headscope::host {
namespace {

constexpr int kMostAnimationFrames = 60;  // a second; what plays on has no rest to wait for
constexpr int kMostFrames = 400;          // in all

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
  // what panels have computed they take a frame later, perhaps to ask for more
  int animated = 0;
  int quiet = 0;
  for (int i = 0; i < kMostFrames && quiet < frames; ++i) {
    headless_.frame(app);
    const bool moves = app.wantsFrame() && ++animated <= kMostAnimationFrames;
    const bool news = app.finish();
    quiet = moves || news ? 0 : quiet + 1;
  }
  return drawFrame(app);
}

}  // namespace headscope::host
