// Memory that runs out at any allocation of a frame, an edit or a pass: the program stays, says it,
// and its document is as it was. A defect within a frame is reported.
#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/view_json.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"
#include "core/formats/session.h"
#include "tests/app/app_driver.h"
#include "tests/core/test_files.h"
#include "tests/faults/failing_new.h"

namespace headscope::ui {
namespace {

using Where = FailingNew::Where;

constexpr long kPoints = 60;  // allocations, spread over a frame or an autosave
constexpr long kNever = -1;

/// Every page, tool and tab.
std::vector<ViewState> views() {
  std::vector<ViewState> all;
  for (const char* tool : {kFlowTool, kTermsTool, "mask", "temperature", kChangesTool,
                           kMistakesTool, "kvcache", "perhead"}) {
    ViewState view;
    view.selection.tool = tool;
    view.selection.inspectorTab =
        view.selection.tool == "mask" ? InspectorTab::history : InspectorTab::cell;
    view.selection.cell = CellRef{TensorId::weights, 0, 0, 1, 0};
    view.selection.step = StepId::softmax;
    all.push_back(view);
  }
  all.emplace_back().selection.page = kHeadsPage;
  for (ViewState& view : all) view.preferences.animate = false;
  return all;
}

TEST(NoMemory, InAnyFrameIsSaidAndTheNextIsWhole) {
  long failed = 0;
  for (const ViewState& view : views()) {
    AppDriver ui(presetDocument("by-hand"), 1600, 1000, view);
    const DocumentPtr document = ui.app().document();
    ui.settle();
    const std::string whole = ui.screen().all("");
    long allocations = 0;
    {
      const FailingNew counts(Where::thisThread, kNever);
      ui.frame();
      allocations = FailingNew::count();
    }
    ASSERT_GT(allocations, kPoints);
    for (long n = 1; n <= allocations; n += std::max(1L, allocations / kPoints)) {
      SCOPED_TRACE(n);
      {
        const FailingNew fails(Where::thisThread, n);
        ui.frame();
      }
      ++failed;
      ASSERT_EQ(ui.app().document(), document);
      ui.settle();
      ASSERT_EQ(ui.screen().all(""), whole);
    }
  }
  EXPECT_GT(failed, 9 * kPoints / 2);
}

TEST(Defects, WithinAFrameReachTheHostWithTheirMessage) {
  AppDriver ui(presetDocument("by-hand"));
  int thrown = 0;
  for (long n = 20; n <= 620; n += 30) {
    SCOPED_TRACE(n);
    const FailingNew fails(Where::thisThread, n, FailingNew::Fault::defect);
    try {
      ui.frame();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "a defect");
      ++thrown;
    }
  }
  EXPECT_GT(thrown, 10);
  ui.settle();  // Dear ImGui is left as it was
  EXPECT_TRUE(ui.shows("Dimension flow")) << ui.screen().all();
}

TEST(NoMemory, WhatCannotBeDrawnSaysSo) {
  AppDriver ui(presetDocument("by-hand"));
  const FailingNew fails(Where::thisThread, 100);
  ui.frame();
  EXPECT_TRUE(ui.shows("There is not enough memory to draw this"));
}

TEST(NoMemory, InAnyEditLeavesTheDocumentOfBeforeOrTheNewOne) {
  AppDriver ui(presetDocument("by-hand"));
  const DocumentPtr start = ui.app().document();
  const auto edit = [&](float value) {
    ui.app().apply(SetCell{{TensorId::wQ, -1, -1, 1, 1}, value});
  };
  long allocations = 0;
  {
    const FailingNew counts(Where::thisThread, kNever);
    edit(5.0F);
    allocations = FailingNew::count();
  }
  ui.settle();
  ASSERT_GT(allocations, 3);
  int refused = 0;
  for (long n = 1; n <= allocations; ++n) {
    SCOPED_TRACE(n);
    const DocumentPtr before = ui.app().document();
    const float value = static_cast<float>(n) + 0.5F;
    {
      const FailingNew fails(Where::thisThread, n);
      edit(value);
    }
    if (ui.app().document() == before) {
      ++refused;
      EXPECT_NE(ui.app().message().find("not enough memory"), std::string::npos);
    } else {
      EXPECT_EQ(ui.document().weights.wQ.at({1, 1}), value);
    }
    ui.settle();
    ASSERT_EQ(ui.trace().documentPtr(), ui.app().document());
  }
  EXPECT_GT(refused, 0);
  ui.undoAll();
  EXPECT_EQ(ui.document().weights.wQ.at({1, 1}), start->weights.wQ.at({1, 1}));
}

TEST(NoMemory, InAnyPassIsSaidAndTheLastGoodResultStays) {
  AppDriver ui(textDocument("The cat sat on the mat", 64, 4));
  const auto compute = [&](double temperature) {
    ui.app().apply(SetSwitch{&Switches::temperature, temperature});
    ui.app().finish();
  };
  long allocations = 0;
  {
    const FailingNew counts(Where::otherThreads, kNever);
    compute(0.5);
    allocations = FailingNew::count();
  }
  ui.settle();
  ASSERT_GT(allocations, 10);
  int refused = 0;
  for (long n = 1; n <= allocations; ++n) {
    SCOPED_TRACE(n);
    const double before = ui.config().switches->temperature;
    const double wanted = 1.0 + 0.25 * static_cast<double>(n);
    {
      const FailingNew fails(Where::otherThreads, n);
      compute(wanted);
    }
    if (ui.config().switches->temperature == before) {
      ++refused;
      EXPECT_NE(ui.app().message().find("not enough memory"), std::string::npos)
          << ui.app().message();
    } else {
      EXPECT_EQ(ui.config().switches->temperature, wanted);
    }
    ui.settle();
    ASSERT_EQ(ui.trace().documentPtr(), ui.app().document());
  }
  EXPECT_GT(refused, 0);
}

/// A frame writes the view as JSON, and opening a session reads it. Neither may end the program
/// when memory runs out in the middle of an object.
TEST(NoMemory, InAnyJsonIsThrown) {
  ViewState view = views().front();
  view.selection.trail = {{TensorId::output, 0, -1, 1, 0}, {TensorId::concat, 0, -1, 1, 0}};
  view.heads.compared = {0, 1};
  const std::string text = viewToJson(view);
  const auto thrownAtEach = [](const auto& work) {
    long allocations = 0;
    {
      const FailingNew counts(Where::thisThread, kNever);
      work();
      allocations = FailingNew::count();
    }
    ASSERT_GT(allocations, 40);
    for (long n = 1; n <= allocations; ++n) {
      SCOPED_TRACE(n);
      bool thrown = false;
      try {
        const FailingNew fails(Where::thisThread, n);
        work();
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      EXPECT_TRUE(thrown);
    }
  };
  thrownAtEach([&] { viewToJson(view); });
  thrownAtEach([&] { viewFromJson(text, {}); });
}

TEST(NoMemory, InAnAutosaveIsSaidAndMadeUpFor) {
  const TempFolder state;
  AppDriver ui(presetDocument("by-hand"));
  ui.restartKeeping(state.path(), presetDocument("by-hand"));
  const auto edit = [&](double temperature) {
    ui.app().apply(SetSwitch{&Switches::temperature, temperature});
    ui.app().finish();  // the pass
  };
  const auto autosave = [&] {
    ui.frame();
    ui.app().finish();
  };
  edit(0.5);
  long allocations = 0;
  {
    const FailingNew counts(Where::otherThreads, kNever);
    autosave();
    allocations = FailingNew::count();
  }
  ASSERT_GT(allocations, kPoints);
  int failed = 0;
  for (long n = 1; n <= allocations; n += std::max(1L, allocations / kPoints)) {
    SCOPED_TRACE(n);
    const double temperature = 1.0 + 0.25 * static_cast<double>(n);
    edit(temperature);
    {
      const FailingNew fails(Where::otherThreads, n);
      autosave();
    }
    ui.frame();
    if (ui.app().message().find("not autosaved") != std::string::npos) ++failed;
    for (const auto& file : std::filesystem::directory_iterator(state.path())) {
      if (formats::isSession(file.path())) formats::loadSession(file.path(), kTestBudget);
    }
    edit(temperature + 0.125);
    autosave();
    ui.frame();
    for (const auto& file : std::filesystem::directory_iterator(state.path())) {
      if (!formats::isSession(file.path())) continue;
      EXPECT_EQ(
          formats::loadSession(file.path(), kTestBudget).document->config.switches->temperature,
          temperature + 0.125);
    }
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace headscope::ui
