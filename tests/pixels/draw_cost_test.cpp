// The cost of a frame on the GPU: the number of draw calls does not depend on the number of cells
// or heads, and only values changed by an edit are uploaded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "app/host/offscreen.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/editing/history.h"
#include "tests/core/support/document_of_size.h"

namespace headscope::host {
namespace {

constexpr Index kDrawBudget = Index{2} << 30;
constexpr int kWidth = 1600;
constexpr int kHeight = 1000;

DocumentPtr documentOf(Index dModel, Index heads, Index tokens) {
  return test::documentOfSize(dModel, heads, tokens, kDrawBudget);
}

struct FrameContext {
  std::string page = ui::kFlowPage;
  StepId step = StepId::score;
  ui::StepViewScope scope = ui::StepViewScope::thisHead;
};

AppOptions optionsFor(DocumentPtr document, const FrameContext& look) {
  AppOptions options;
  options.document = std::move(document);
  options.memoryBudget = kDrawBudget;
  options.view.preferences.animate = false;
  options.view.selection.page = look.page;
  options.view.selection.step = look.step;
  options.view.selection.scope = look.scope;
  return options;
}

struct Calls {
  int scene = 0;      // draw calls for heatmaps and ribbons
  int interface = 0;  // draw calls of Dear ImGui
  int quads = 0;      // drawn matrices
};

Calls callsOf(Index dModel, Index heads, Index tokens, const FrameContext& look) {
  Offscreen offscreen(kWidth, kHeight);
  App app(optionsFor(documentOf(dModel, heads, tokens), look));
  for (int i = 0; i < 3; ++i) offscreen.draw(app);  // measurements may ask for more frames
  Calls calls;
  calls.scene = offscreen.renderer().stats().drawCalls;
  const ImDrawData* drawn = ImGui::GetDrawData();
  for (int i = 0; i < drawn->CmdListsCount; ++i)
    calls.interface += drawn->CmdLists[i]->CmdBuffer.Size;
  for (const gl::Scene::Command& command : app.scene().commands) {
    if (const auto* batch = std::get_if<gl::HeatmapBatch>(&command.batch)) {
      calls.quads += static_cast<int>(batch->quads.size());
    }
  }
  return calls;
}

const FrameContext kLooks[] = {{ui::kFlowPage, StepId::score, ui::StepViewScope::thisHead},
                               {ui::kFlowPage, StepId::softmax, ui::StepViewScope::allHeads},
                               {ui::kFlowPage, StepId::project, ui::StepViewScope::thisHead},
                               {ui::kHeadsPage, StepId::score, ui::StepViewScope::thisHead}};

TEST(DrawCalls, DoNotGrowWithCells) {
  for (const FrameContext& look : kLooks) {
    const Calls few = callsOf(64, 8, 32, look);
    const Calls many = callsOf(64, 8, 512, look);
    const std::string where = look.page + std::to_string(static_cast<int>(look.step));
    EXPECT_GT(few.scene, 0) << where;
    EXPECT_LE(many.scene, few.scene + 2) << where;
    EXPECT_LE(many.interface, few.interface + 8) << where;
  }
}

TEST(DrawCalls, HardlyGrowWithHeads) {
  for (const FrameContext& look : kLooks) {
    const Calls few = callsOf(96, 4, 32, look);
    const Calls many = callsOf(96, 96, 32, look);
    const std::string where = look.page + std::to_string(static_cast<int>(look.step));
    EXPECT_LE(many.scene, few.scene + 2) << where;
    EXPECT_LE(many.interface, few.interface + 16) << where;
    EXPECT_GE(many.quads, few.quads) << where;
  }
}

/// Measures an edit as the undo, by ctrl+Z, of an edit that was made before.
class Uploads : public testing::Test {
 protected:
  std::uint64_t bytesOf(const DocumentPtr& document, const Edit& edit, const FrameContext& look) {
    History history(document, kDrawBudget);
    history.apply(edit);
    AppOptions options = optionsFor(nullptr, look);
    options.history = std::make_shared<const History>(std::move(history));
    Offscreen offscreen(kWidth, kHeight);
    App app(std::move(options));
    for (int i = 0; i < 3; ++i) offscreen.draw(app);
    const auto before = offscreen.renderer().stats();
    held_ = before.bytesHeld;
    for (int i = 0; i < 5; ++i) offscreen.drawFrame(app);
    EXPECT_EQ(offscreen.renderer().stats().bytesUploaded, before.bytesUploaded) << "at rest";
    const DocumentPtr edited = app.document();
    offscreen.input().press(app, ui::Key{'Z'}, true);
    EXPECT_NE(app.document(), edited);
    for (int i = 0; i < 3; ++i) offscreen.draw(app);
    EXPECT_EQ(app.trace()->documentPtr(), app.document());
    return offscreen.renderer().stats().bytesUploaded - before.bytesUploaded;
  }

  std::uint64_t held_ = 0;
};

TEST_F(Uploads, OfAnOutputWeightAreItsCellAndItsColumn) {
  constexpr Index kTokens = 24;
  const DocumentPtr document = documentOf(64, 8, kTokens);
  const SetCell edit{{TensorId::wO, -1, -1, 3, 17}, 5.0F};
  const auto bytes = bytesOf(document, edit, {ui::kFlowPage, StepId::output});
  EXPECT_GT(bytes, 0U);
  // W_O and the output are shown perhaps twice; each is one cell, and one column of the tokens
  EXPECT_LE(bytes, 2 * sizeof(float) * (1 + kTokens));
  EXPECT_GT(held_, 100 * bytes);
}

TEST_F(Uploads, OfOneHeadsWeightsLeaveTheOtherHeadsAlone) {
  constexpr Index kTokens = 24;
  constexpr Index kHeads = 8;
  const DocumentPtr document = documentOf(64, kHeads, kTokens);
  // of the coordinate that is 1 in every token, into the second column of the third head's Q
  const SetCell edit{{TensorId::wQ, -1, -1, 2 * 8 + 1, 0}, 5.0F};
  const auto bytes =
      bytesOf(document, edit, {ui::kFlowPage, StepId::softmax, ui::StepViewScope::allHeads});
  const auto one = sizeof(float) * kTokens * kTokens;
  EXPECT_GT(bytes, 0U);
  EXPECT_LE(bytes, 4 * one) << "its pictures: in the step view, in the strip and in the flow";
}

TEST_F(Uploads, OfAStepThatIsNotShownAreNone) {
  const DocumentPtr document = documentOf(64, 8, 24);
  const SetCell edit{{TensorId::wO, -1, -1, 3, 17}, 5.0F};
  EXPECT_EQ(bytesOf(document, edit, {ui::kFlowPage, StepId::score}), 0U);
}

}  // namespace
}  // namespace headscope::host
