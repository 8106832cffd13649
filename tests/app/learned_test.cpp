// Learned heads in the window: heads of another size are learned in the background and shown while
// they form; the history has one entry for it.
#include "app_driver.h"
#include "core/document/trace.h"
#include "core/editing/make_document.h"

namespace headscope::ui {
namespace {

DocumentPtr smallDocument(WeightInit init) {
  AttentionConfig config;
  config.dModel = 128;
  config.numHeads = config.numKvHeads = 2;
  return makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named,
                      {init, 1, {}}, kTestBudget);
}

/// A document that is marked as learned but has other weights, so that learning changes them
/// visibly.
DocumentPtr learnedDocument() {
  Document document = *smallDocument(WeightInit::xavier);
  document.weightSource.init = WeightInit::learned;
  return std::make_shared<const Document>(std::move(document));
}

TEST(LearnedHeads, AreLearnedInTheBackground) {
  AppDriver ui(smallDocument(WeightInit::xavier));
  const auto before = ui.document().weights.wQ.values();
  ui.app().apply(DrawWeights{WeightInit::learned, 1}, "");
  ui.frame();
  EXPECT_EQ(ui.document().weights.wQ.values(), before);  // not yet
  EXPECT_TRUE(ui.shows("Learning heads: step"));
  ui.settle();
  EXPECT_FALSE(ui.shows("Learning heads: step"));
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::learned);
  EXPECT_EQ(ui.document().weights.wQ.values(),
            drawWeightsFor(ui.document(), WeightInit::learned, 1).wQ.values());
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(ui.document().weights.wQ.values(), before);
}

TEST(LearnedHeads, AreSeenToFormAtANewSize) {
  AppDriver ui(learnedDocument());
  ui.app().apply(SetDimensions{128, 4, 4, 0}, "");
  std::vector<float> first;
  bool formed = false;
  while (ui.config().numHeads == 2) {
    ui.frame();
    if (ui.trace().config().numHeads != 4 || ui.config().numHeads != 2) continue;
    const auto now = ui.trace().document().weights.wQ.values();
    if (first.empty()) first = now;
    formed = formed || now != first;
  }
  EXPECT_TRUE(formed);
  ui.settle();
  EXPECT_EQ(ui.trace().config().numHeads, 4);
  EXPECT_EQ(ui.undoAll(), 1);
}

/// An edit made during learning also applies to the learned weights, and undo reverts it with them.
TEST(LearnedHeads, TakeOtherEditsAlong) {
  AppDriver ui(learnedDocument());
  ui.app().apply(SetDimensions{128, 4, 4, 0}, "");
  ui.frame();
  ui.app().apply(SetText{0, false, "The old dog slept by the door."}, "");
  ui.app().apply(SetCell{{TensorId::wQ, -1, -1, 0, 0}, 0.5F}, "");
  ui.settle();
  EXPECT_EQ(ui.config().numHeads, 4);
  EXPECT_EQ(ui.config().seqLen, 8);
  EXPECT_EQ(ui.document().weights.wQ.at({0, 0}), 0.5F);
  EXPECT_TRUE(ui.document().weightsEdited);
  EXPECT_EQ(ui.undoAll(), 1);
  EXPECT_EQ(ui.config().numHeads, 2);
}

TEST(LearnedHeads, AreLeftOffByUndo) {
  AppDriver ui(learnedDocument());
  ui.app().apply(SetDimensions{128, 4, 4, 0}, "");
  ui.frame();
  ui.press(Key{'Z'}, true);
  EXPECT_FALSE(ui.shows("Learning heads: step"));
  EXPECT_EQ(ui.config().numHeads, 2);
  EXPECT_EQ(ui.trace().config().numHeads, 2);
}

TEST(LearnedHeads, ComeAtOnceAtASizeThatHasLearned) {
  AppDriver ui(learnedDocument());
  ui.app().apply(SetDimensions{128, 4, 4, 0}, "");
  ui.settle();
  const auto learned = ui.document().weights.wQ.values();
  ui.app().apply(SetDimensions{128, 2, 2, 0}, "");
  EXPECT_EQ(ui.config().numHeads, 4);  // the loaded heads were not learned here
  ui.settle();
  ui.app().apply(SetDimensions{128, 4, 4, 0}, "");
  EXPECT_EQ(ui.config().numHeads, 4);
  EXPECT_EQ(ui.document().weights.wQ.values(), learned);
}

TEST(LearnedHeads, AreStoppedForDesignedOnes) {
  AppDriver ui(learnedDocument());
  ui.app().apply(SetDimensions{128, 4, 4, 0}, "");
  ui.frame();
  ui.click("Stop");
  EXPECT_EQ(ui.config().numHeads, 4);
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
  EXPECT_EQ(ui.undoAll(), 1);

  ui.view().preferences.learnHeads = false;  // switches learning at new sizes off
  ui.frame();
  ui.app().apply(SetDimensions{128, 4, 4, 0}, "");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
  ui.settle();
  EXPECT_TRUE(ui.shows("learning at new sizes is off"));
}

/// The page shows, with the heads' names, the relations that heads of the shipped layer were
/// trained for, and how they were trained.
TEST(LearnedHeads, SayWhatTheyWereTrainedFor) {
  ViewState view;
  view.selection.page = kHeadsPage;
  AppDriver ui(
      makePreset(presetByName("original-transformer"), {WeightInit::learned, 1, {}}, kTestBudget),
      1600, 1000, view);
  ui.settle();
  EXPECT_TRUE(ui.shows("Verb → its subject"));
  EXPECT_TRUE(ui.shows("learned, not designed"));
  ui.click("how learned");
  EXPECT_TRUE(ui.shows("What it cannot do"));
  EXPECT_TRUE(ui.shows("who does it, or is it?"));
  EXPECT_TRUE(ui.shows("learn --d-model 512 --heads 8"));
  EXPECT_TRUE(ui.shows("Least sure: "));
}

/// The heads of a series show their relations in terms of series.
TEST(LearnedHeads, OfASeriesSayWhatTheyWereTrainedFor) {
  ViewState view;
  view.selection.page = kHeadsPage;
  Document document = *exampleDocument("sensor", 64, 8);
  document.weightSource = {WeightInit::learned, 1, {}};
  AppDriver ui(std::make_shared<const Document>(std::move(document)), 1600, 1000, view);
  ui.settle();
  EXPECT_TRUE(ui.shows("Latest spike"));
  ui.click("how learned");
  EXPECT_TRUE(ui.shows("Spikes and change points are those"));
  EXPECT_TRUE(ui.shows("where was the latest spike?"));
  EXPECT_TRUE(ui.shows("learn --d-model 64 --heads 8 --channels 3"));
}

/// Weights shipped with the program are available immediately; an input of plain numbers has none.
TEST(LearnedHeads, ComeWithTheProgramAndAreNotForNumbers) {
  AppDriver ui;
  ui.app().apply(DrawWeights{WeightInit::learned, 1}, "");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::learned);
  ui.settle();
  ui.app().apply(SetInput{presetDocument("by-hand")->source}, "");
  EXPECT_EQ(ui.document().weightSource.init, WeightInit::designed);
}

/// The heads for a series are learned from series, in the background.
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
