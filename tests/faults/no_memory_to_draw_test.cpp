// Memory that runs out while a frame is put on the screen: the next one is whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <new>

#include "app/app.h"
#include "app/gl/error.h"
#include "app/host/headless.h"
#include "app/host/offscreen.h"
#include "app/host/painter.h"
#include "core/presets/presets.h"
#include "tests/faults/failing_new.h"

namespace headscope::host {
namespace {

constexpr Index kBudget = Index{1} << 30;
constexpr int kWidth = 1280;
constexpr int kHeight = 720;

TEST(NoMemoryToDraw, TheNextPictureIsWhole) {
  AppOptions options;
  options.document = makePreset(presetByName("by-hand"), {}, kBudget);
  options.view.preferences.animate = false;
  App app(options);
  app.finish();
  const OffscreenContext context;
  Headless headless(kWidth, kHeight);
  const RenderTarget target(kWidth, kHeight);
  Painter painter(headless.session(), {});
  for (int i = 0; i < 4; ++i) {
    headless.frame(app);
    app.finish();
  }
  target.bind();
  painter.paint(app, kWidth, kHeight);
  const Image whole = target.read();
  long allocations = 0;
  {
    const FailingNew counts(FailingNew::Where::thisThread, -1);
    painter.paint(app, kWidth, kHeight);
    allocations = FailingNew::count();
  }
  ASSERT_GT(allocations, 5);
  int failed = 0;
  for (long n = 1; n <= allocations; n += std::max(1L, allocations / 40)) {
    try {
      const FailingNew fails(FailingNew::Where::thisThread, n);
      painter.paint(app, kWidth, kHeight);
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    headless.frame(app);
    painter.paint(app, kWidth, kHeight);
    gl::checkErrors("drawing");
    ASSERT_EQ(target.read().rgba, whole.rgba) << n;
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace headscope::host
