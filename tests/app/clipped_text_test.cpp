// No text is cut at the sizes that the interface is made for: no letter by the edge of its card, no
// name or sentence with "…" in place of its end. What does not fit is left out whole.
#include <imgui_internal.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app_driver.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

struct WindowSize {
  int width, height;
  float scale;
};

bool scrolls(const std::string& window) {
  const ImGuiWindow* found = ImGui::FindWindowByName(window.c_str());
  for (; found != nullptr; found = found->ParentWindow) {
    if (found->ScrollMax.x > 0.0F || found->ScrollMax.y > 0.0F) return true;
  }
  return false;
}

/// Returns every text below the bars that is cut, with its window.
std::string cutTexts(const AppDriver& ui) {
  std::string cut;
  const ScreenText screen = ui.screen();
  const auto add = [&](const TextRun& run) { cut += run.window + ": " + run.text + "\n"; };
  for (const TextRun& run : screen.cut()) {
    if (!scrolls(run.window)) add(run);
  }
  for (const TextRun& run : screen.runs()) {
    const bool inBody = run.window.find("/body_") != std::string::npos;
    const bool waits = run.text.find("measuring…") != std::string::npos;
    if (inBody && !waits && run.text.find("…") != std::string::npos) add(run);
  }
  return cut;
}

class ClippedText : public testing::TestWithParam<WindowSize> {
 protected:
  void expectWhole(const char* what, const std::function<void(ViewState&)>& choose) {
    const auto [width, height, scale] = GetParam();
    ViewState view;
    view.preferences.scale = scale;
    view.preferences.animate = false;
    choose(view);
    AppDriver ui(textDocument("The cat , which was very fluffy , slept by the warm fire ."), width,
                 height, view);
    EXPECT_EQ(cutTexts(ui), "") << what;
  }
};

TEST_P(ClippedText, StageHasNone) {
  expectWhole("stage", [](ViewState& view) { view.selection.page = kStagePage; });
}

TEST_P(ClippedText, NoStepHasAny) {
  for (const Step* each : allSteps()) {
    expectWhole("step", [&](ViewState& view) {
      view.selection.page = kFlowPage;
      view.selection.step = each->id();
    });
  }
}

TEST_P(ClippedText, NoToolHasAny) {
  for (const char* tool : {"flow", "terms", "mask", "temperature", "rotation", "changes",
                           "mistakes", "kvcache", "perhead"}) {
    expectWhole(tool, [&](ViewState& view) {
      view.selection.page = kFlowPage;
      view.selection.tool = tool;
    });
  }
}

TEST_P(ClippedText, NoCardOfHeadsHasAny) {
  for (int tab = 0; tab < 5; ++tab) {
    expectWhole("heads", [&](ViewState& view) {
      view.selection.page = kHeadsPage;
      view.heads.effectTab = static_cast<EffectTab>(tab);
      view.heads.looksTab = static_cast<LooksTab>(tab % 4);
      view.heads.figuresTab = static_cast<FiguresTab>(tab % 2);
    });
  }
}

TEST_P(ClippedText, TrainHasNone) {
  for (int tab = 0; tab < 5; ++tab) {
    expectWhole("train", [&](ViewState& view) {
      view.selection.page = kTrainPage;
      view.train.tab = static_cast<TrainTab>(tab);
    });
  }
}

TEST_P(ClippedText, TrainOnStoriesHasNone) {
  expectWhole("stories", [](ViewState& view) {
    view.selection.page = kTrainPage;
    view.train.task = kStories;
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, ClippedText,
                         testing::Values(WindowSize{1280, 720, 1.0F}, WindowSize{1600, 1000, 1.0F},
                                         WindowSize{3840, 2160, 2.0F}),
                         [](const auto& info) { return "w" + std::to_string(info.param.width); });

}  // namespace
}  // namespace headscope::ui
