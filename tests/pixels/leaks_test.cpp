// GL objects: none is left when the program ends, and a lost context is detected.
#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "app/app.h"
#include "app/gl/reset_watch.h"
#include "app/host/headless.h"
#include "app/host/offscreen.h"
#include "app/host/painter.h"
#include "core/presets/presets.h"
#include "tests/pixels/pixel_test.h"

namespace headscope::host {
namespace {

constexpr Index kLeakBudget = Index{1} << 30;

AppOptions opened(const char* preset) {
  AppOptions options;
  options.document = makePreset(presetByName(preset), {}, kLeakBudget);
  options.memoryBudget = kLeakBudget;
  options.threads = 1;
  return options;
}

TEST(GlLeaks, TheProgramLeavesNoObjects) {
  const OffscreenContext context;
  const int before = liveGlObjects();
  for (const char* preset : {"by-hand", "tutorial"}) {
    Headless headless(1280, 720);
    const RenderTarget target(1280, 720);
    Painter painter(headless.session(), {});
    App app(opened(preset));
    app.finish();
    const auto draw = [&] {
      for (int i = 0; i < 4; ++i) {
        headless.frame(app);
        app.finish();
        target.bind();
        painter.paint(app, target.width(), target.height());
      }
      gl::checkErrors("drawing");
    };
    for (const char* page : {ui::kFlowPage, ui::kHeadsPage}) {
      for (const float scale : {1.0F, 2.0F}) {  // other fonts, other sizes
        app.view().selection.page = page;
        app.view().preferences.scale = scale;
        draw();
      }
    }
    app.apply(SetDimensions{64, 4, 4});
    app.finish();
    draw();
    EXPECT_GT(liveGlObjects(), before + 5);
  }
  glUseProgram(0);  // one in use is deleted only then
  EXPECT_EQ(liveGlObjects(), before);
}

GLenum EPOXY_CALLSPEC guilty() { return GL_GUILTY_CONTEXT_RESET_ARB; }

TEST(ResetWatch, ALostContextIsSaid) {
  const OffscreenContext context;
  const gl::ResetWatch watch;
  EXPECT_NO_THROW(watch.check());
  ASSERT_TRUE(epoxy_has_gl_extension("GL_ARB_robustness"));
  const auto driver = std::exchange(epoxy_glGetGraphicsResetStatusARB, &guilty);
  try {
    watch.check();
    ADD_FAILURE() << "not noticed";
  } catch (const gl::Error& error) {
    EXPECT_NE(std::string(error.what()).find("start headscope again"), std::string::npos);
  }
  epoxy_glGetGraphicsResetStatusARB = driver;
  EXPECT_NO_THROW(watch.check());
}

}  // namespace
}  // namespace headscope::host
