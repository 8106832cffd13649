// Learned heads in the window: another number of heads is learned beside the frames, and the old
// picture stays until it is.
#include "app_driver.h"

namespace headscope::ui {
namespace {

DocumentPtr learnedDocument() {
  AttentionConfig config;
  config.dModel = 128;
  config.numHeads = config.numKvHeads = 2;
  return makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named,
                      {WeightInit::xavier, 1, {}}, kTestBudget);
}

TEST(LearnedHeads, AreLearnedBesideTheFrames) {
  AppDriver ui(learnedDocument());
  const auto before = ui.document().weights.wQ.values();
  ui.app().apply(DrawWeights{WeightInit::learned, 1}, "");
  ui.frame();
  EXPECT_EQ(ui.document().weights.wQ.values(), before);  // not yet
  EXPECT_TRUE(ui.shows("learning heads of this size"));
  ui.settle();
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::learned);
  EXPECT_EQ(ui.document().weights.wQ.values(),
            drawWeightsFor(ui.document(), WeightInit::learned, 1).wQ.values());
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(ui.document().weights.wQ.values(), before);
}

TEST(LearnedHeads, OfAnotherEditMeanwhileAreLeftOff) {
  AppDriver ui(learnedDocument());
  ui.app().apply(DrawWeights{WeightInit::learned, 1}, "");
  ui.frame();
  ui.app().apply(SetCell{{TensorId::wQ, -1, -1, 0, 0}, 0.5F}, "");
  ui.settle();
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::xavier);
  EXPECT_EQ(ui.document().weights.wQ.at({0, 0}), 0.5F);
}

/// What comes with the program is there at once, and of numbers nothing is known.
TEST(LearnedHeads, ComeWithTheProgramAndAreNotForNumbers) {
  AppDriver ui;
  ui.app().apply(DrawWeights{WeightInit::learned, 1}, "");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::learned);
  ui.settle();
  ui.app().apply(SetInput{exampleDocument("by-hand")->source}, "");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
}

/// For a series they are learned from series, beside the frames.
TEST(LearnedHeads, OfASeriesAreLearnedFromSeries) {
  AppDriver ui(learnedDocument());
  ui.app().apply(DrawWeights{WeightInit::learned, 1}, "");
  ui.settle();
  const auto ofWords = ui.document().weights.wQ.values();
  ui.app().apply(SetInput{exampleDocument("sensor")->source}, "");
  ui.settle();
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::learned);
  EXPECT_EQ(ui.document().input->readings.channels.size(), 3U);
  EXPECT_NE(ui.document().weights.wQ.values(), ofWords);
}

}  // namespace
}  // namespace headscope::ui
