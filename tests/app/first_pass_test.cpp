// The screen before the first trace, at any size of the window: it shows the progress of the pass,
// or the reason why there will be no trace.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "app/ui/status_bar.h"
#include "core/editing/edit.h"
#include "long_pass.h"
#include "screen_text.h"

namespace headscope::ui {
namespace {

bool says(const std::string& text) { return ScreenText::read().shows(text); }
std::string written() { return ScreenText::read().all(); }

TEST(FirstPass, SaysWhatIsComputedAndHowFarItIs) {
  host::Headless host(1600, 1000);
  App app(optionsFor(longDocument()));
  host.frame(app);
  ASSERT_EQ(app.trace(), nullptr);
  EXPECT_TRUE(says("16 heads × 1,536 tokens · d_model 2,048")) << written();
  EXPECT_TRUE(says("computing") && says("of 9)")) << written();
  EXPECT_LE(app.nextChange(), 0.1);
  for (const auto& [width, height] : {std::pair{1, 1}, {320, 200}, {3840, 2160}}) {
    host.resize(width, height);
    host.frame(app);
  }
}

TEST(FirstPass, SaysThatAPageWithoutThreadsDrawsNothingMeanwhile) {
  const AttentionConfig config = textDocument("The cat")->config;
  const Worker::Progress progress{.busy = true, .holdsFrames = true};
  EXPECT_NE(inWords(progress, config).find("draws nothing until it ends"), std::string::npos);
  EXPECT_NE(inWords({.busy = true}, config).find("(1 of 9)"), std::string::npos);
}

TEST(FirstPass, SaysWhyThereIsNone) {
  const DocumentPtr start = textDocument("The cat");
  const DocumentPtr huge =
      apply(*start, SetCell{{TensorId::x, 0, -1, 0, 0}, 3e38F}, kTestBudget).document;
  host::Headless host(1600, 1000);
  App app(optionsFor(huge));
  app.finish();
  host.frame(app);
  ASSERT_EQ(app.trace(), nullptr);
  EXPECT_TRUE(says("scale them down")) << written();
  EXPECT_FALSE(says("computing")) << written();
  app.apply(SetCell{{TensorId::x, 0, -1, 0, 0}, 1.0F});  // this input can be computed
  app.finish();
  host.frame(app);
  EXPECT_NE(app.trace(), nullptr);
}

}  // namespace
}  // namespace headscope::ui
