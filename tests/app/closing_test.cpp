// Closing the window while the engine, the figures or a tool compute: they stop, none of their
// results outlives the window, and requested files are written.
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "core/document/attention.h"
#include "long_pass.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

TEST(Closing, InMidComputationLeavesThePassUndone) {
  host::Headless host(1600, 1000);
  std::atomic<int> wakes{0};
  std::weak_ptr<const Document> computed;
  {
    App app(optionsFor(longDocument()));
    app.onWake([&wakes] { ++wakes; });
    computed = app.document();
    host.frame(app);
    ASSERT_EQ(app.trace(), nullptr);
  }
  EXPECT_EQ(wakes, 0);  // a pass that ends would have called it
  EXPECT_TRUE(computed.expired());
}

TEST(Closing, BeginsWithTheEndOfWhatIsComputed) {
  host::Headless host(1600, 1000);
  App app(optionsFor(longDocument()));
  host.frame(app);
  ASSERT_EQ(app.trace(), nullptr);
  app.stop();
  app.finish();
  EXPECT_EQ(app.trace(), nullptr);
}

/// Each page and tool with background work is closed after more and more frames, from its start to
/// its end.
TEST(Closing, WhileFiguresAreMeasuredLeavesNothingBehind) {
  const DocumentPtr document = textDocument("The cat sat on the mat", 512, 8);
  const TracePtr trace = runAttention(document);
  std::weak_ptr<const Document> edited;
  const auto closeAfter = [&](int frames, const ViewState& view) {
    host::Headless host(1600, 1000);
    AppOptions options = optionsFor(document);
    options.trace = trace;
    options.view = view;
    App app(std::move(options));
    app.apply(SetHeadGain{1, 0.0F});
    edited = app.document();
    for (int i = 0; i < frames; ++i) host.frame(app);
  };
  for (const int frames : {1, 3, 8}) {
    ViewState view;
    for (const char* tool : {kFlowTool, kTermsTool, "mask", "temperature", kChangesTool,
                             kMistakesTool, "kvcache", "perhead"}) {
      view.selection.tool = tool;
      closeAfter(frames, view);
      EXPECT_TRUE(edited.expired()) << tool << " after " << frames;
    }
    view.selection.page = kHeadsPage;
    closeAfter(frames, view);
    EXPECT_TRUE(edited.expired()) << "heads after " << frames;
  }
  EXPECT_EQ(trace.use_count(), 1);
}

/// A session saved during the pass of its last edit is complete in the file even if the window
/// closes right away.
TEST_F(SessionWindow, WhatWasBeingSavedWhenTheWindowClosedIsWhole) {
  saveAs(lecture());
  ui_.app().apply(Open{longDocument(), "long"});
  ui_.app().apply(SetHeadGain{3, 0.25F});
  ui_.host().press(ui_.app(), Key{'S'}, true);
  const DocumentPtr last = ui_.app().document();
  ui_.restart(textDocument("Another"));
  const formats::Session saved = formats::loadSession(lecture(), kTestBudget);
  EXPECT_EQ(saved.document->config.headGains, last->config.headGains);
  EXPECT_EQ(saved.document->input->tokens, last->input->tokens);
}

}  // namespace
}  // namespace headscope::ui
