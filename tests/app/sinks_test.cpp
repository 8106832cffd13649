// Sinks: a switch and a field for the chosen head in the menu More; a layer of a model has its own.
#include <filesystem>

#include "app_driver.h"
#include "core/formats/model_directory.h"
#include "core/model/model_trace.h"

namespace headscope::ui {
namespace {

TEST(Sinks, AreSwitchedOnAndTypedForTheChosenHead) {
  AppDriver ui;
  ui.view().selection.head = 2;
  ui.click("More ▾", "top bar");
  EXPECT_FALSE(ui.shows("Sink of head", "Popup"));
  ui.click("a sink in each head", "Popup");
  ASSERT_EQ(ui.config().sinks, std::vector<float>(8, 0.0F));
  ui.typeInto("Sink of head 3", "1.5", "Popup");
  ui.press(Key::enter);
  ui.press(Key::escape);
  std::vector<float> expected(8, 0.0F);
  expected[2] = 1.5F;
  EXPECT_EQ(ui.trace().config().sinks, expected);
  EXPECT_EQ(ui.undoAll(), 2);
  EXPECT_TRUE(ui.config().sinks.empty());
}

TEST(Sinks, OfAModelsLayerAreEditedAsItsOtherSwitches) {
  const auto model = formats::openModel(
      std::filesystem::path(HEADSCOPE_TEST_DATA) / "families" / "gpt_oss", kTestBudget);
  const auto trace = model::runModel(model::makeModelDocument(model, {{1, 2, 3}, {}, {}}), nullptr,
                                     {}, kTestBudget);
  AppDriver ui(trace->documentOfLayer(0, kTestBudget));
  std::vector<float> sinks = ui.config().sinks;
  ASSERT_FALSE(sinks.empty());
  const float before = ui.trace().value({TensorId::weights, 0, 0, 0, 0});
  ui.click("More ▾", "top bar");
  ui.typeInto("Sink of head 1", "9", "Popup");
  ui.press(Key::enter);
  ui.press(Key::escape);
  sinks.front() = 9.0F;
  EXPECT_EQ(ui.config().sinks, sinks);
  EXPECT_LT(ui.trace().value({TensorId::weights, 0, 0, 0, 0}), before);
  EXPECT_EQ(ui.undoAll(), 1);
}

}  // namespace
}  // namespace headscope::ui
