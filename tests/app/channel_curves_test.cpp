// Channel curves: the readings of a series are drawn above its steps wherever steps are named;
// words have no curves.
#include "app/ui/parts/channel_curves.h"

#include "app_driver.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

/// The tooltip above a step's chip in the token row shows the step's readings.
TEST(ChannelCurves, TellWhatWasRead) {
  AppDriver ui(exampleDocument("sensor", 64, 4));
  const ImVec2 chip = ui.at("t7", "chips");
  ui.hover({chip.x, chip.y - 20.0F});
  for (const char* part : {"t7", "temperature 61.605", "pressure 5.212", "vibration 2.894"}) {
    EXPECT_TRUE(ui.shows(part, "Tooltip")) << part << " in " << ui.screen().all("Tooltip");
  }
}

/// The curves next to a picture of weights are aligned with its columns.
TEST(ChannelCurves, StandAtTheirColumns) {
  AppDriver ui(exampleDocument("sensor", 64, 4));
  ui.view().selection.step = StepId::softmax;
  ui.settle();
  const auto heatmaps = ui.heatmaps("stage");
  ASSERT_FALSE(heatmaps.empty());
  const gl::Bounds& weights = heatmaps.back();
  const float column = (weights.x1 - weights.x0) / 30.0F;
  ui.hover({weights.x0 + 7.5F * column, weights.y1 + 8.0F});
  EXPECT_TRUE(ui.shows("vibration 2.894", "Tooltip")) << ui.screen().all();
  ui.hover({weights.x0 - 8.0F, weights.y0 + 7.5F * (weights.y1 - weights.y0) / 30.0F});
  EXPECT_TRUE(ui.shows("vibration 2.894", "Tooltip")) << ui.screen().all();
}

TEST(ChannelCurves, AreOfSeriesAlone) {
  AppDriver words;
  const ImVec2 chip = words.at("cat", "chips");
  words.hover({chip.x, chip.y - 20.0F});
  EXPECT_FALSE(words.shows("cat", "Tooltip"));
}

TEST(ChannelCurves, ColoursDifferAndStay) {
  for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
    for (std::size_t a = 0; a < 8; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_NE(channelColor(theme(kind), a), channelColor(theme(kind), b));
      }
    }
  }
}

/// Everything fits for any number of channels and steps.
TEST(ChannelCurves, OfManyChannelsAndSteps) {
  auto series = std::make_shared<Series>();
  series->name = "many";
  constexpr Index kChannels = 40, kSteps = 600;
  for (Index c = 0; c < kChannels; ++c) series->channels.push_back("sensor " + std::to_string(c));
  series->values = Tensor::zeros({kSteps, kChannels});
  for (Index i = 0; i < series->values.size(); ++i) {
    series->values.mutableData()[i] = static_cast<float>(i * 7919 % 101);
  }
  AttentionConfig config;
  config.dModel = 32;
  config.numHeads = config.numKvHeads = 2;
  AppDriver ui(makeDocument("", config, SeriesSource{{series}}, Positions::named, {}, kTestBudget),
               1280, 720);
  const ImVec2 chip = ui.at("t3", "chips");
  ui.hover({chip.x, chip.y - 20.0F});
  EXPECT_TRUE(ui.shows("and 32 channels that are not drawn", "Tooltip")) << ui.screen().all();
  ui.press(Key{'V'});
  EXPECT_TRUE(ui.shows("All heads"));
}

}  // namespace
}  // namespace headscope::ui
