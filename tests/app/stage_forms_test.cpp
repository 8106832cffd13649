// The forms of the page Stage: windows of every size, long sentences, many heads, words that are
// not known or that the mask hides, images, series, a bias and a gate; and the page Heads in arcs.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/first_look.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/stage/stage_view.h"
#include "app_driver.h"
#include "core/analysis/head_effect.h"
#include "core/attention/config.h"
#include "core/attention/mask.h"
#include "core/attention/switches.h"
#include "core/base/execution.h"
#include "core/editing/make_document.h"
#include "fire_document.h"

namespace headscope::ui {
namespace {

constexpr Index kChosen = 8;  // "slept"

TEST(StageForms, AWindowOfHardlyAnySizeIsDrawn) {
  AppDriver ui(fireDocument(), 1600, 1000, onStage());
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(3, 700), std::pair(1600, 2)}) {
    ui.host().resize(width, height);
    for (int i = -1; i < kStagePlaces; ++i) {
      ui.view().stage.at.reset();
      if (i >= 0) ui.view().stage.at = static_cast<double>(i) + 0.5;
      ui.settle();
    }
  }
  ui.view().stage.at.reset();
  ui.host().resize(1600, 1000);
  ui.settle();
  EXPECT_TRUE(ui.shows("“slept” looks at “cat”."));
}

TEST(StageForms, ThePageHeadsHasTheSentenceWithArcsInEachTile) {
  AppDriver ui(fireDocument(), 1600, 1000, onStage());
  FirstLook().open(ui.document(), ui.view());
  ui.view().selection.page = kHeadsPage;
  ui.settle();
  const auto count = [&] {
    const std::string all = ui.screen().all("all heads");
    int found = 0;
    for (std::size_t at = all.find("fluffy"); at != std::string::npos; ++found)
      at = all.find("fluffy", at + 1);
    return found;
  };
  EXPECT_EQ(count(), 8) << ui.screen().all();
  ui.hover(ui.at("fire", "all heads"));
  EXPECT_TRUE(ui.shows("Head 8 · fire → slept")) << ui.screen().all();
  EXPECT_EQ(ui.view().heads.query, kChosen);  // the mouse asks, a click chooses
  ui.click("fire", "all heads");
  EXPECT_EQ(ui.view().heads.query, 12);
  ui.click("heatmaps");
  EXPECT_NE(count(), 8);
  std::string words;
  for (int i = 0; i < 70; ++i) words += "cat ";
  ViewState ofLong;
  FirstLook().open(*fireDocument(words), ofLong);
  EXPECT_EQ(ofLong.heads.drawing, GridDrawing::heatmaps);
}

TEST(StageForms, WordsThatTheMaskHidesAreSaidToBeHidden) {
  const DocumentPtr shown = fireDocument();
  Document causal = *shown;
  causal.config.mask.causal = true;
  AppDriver ui(std::make_shared<const Document>(causal), 1600, 1000, onStage());
  EXPECT_TRUE(ui.shows("hidden by the mask", "small stages")) << ui.screen().all();
}

/// The words of the stage for “slept” in head 2 of a changed document.
template <typename Change>
std::array<std::string, kStagePlaces> sentencesOf(Change change) {
  Document changed = *fireDocument();
  change(changed);
  AppDriver ui(std::make_shared<const Document>(changed), 1600, 1000, onStage());
  ui.settle();
  const StageSubject subject{0, 1, kChosen};
  const HeadEffects effects = *headEffects(ui.trace(), 0, ExecutionContext{});
  std::array<std::string, kStagePlaces> said;
  for (int i = 0; i < kStagePlaces; ++i) {
    const auto place = static_cast<StagePlace>(i);
    said[static_cast<std::size_t>(i)] =
        place == StagePlace::shares ? stageWords(ui.trace(), subject).sentence
                                    : stageWords(ui.trace(), subject, place, &effects).sentence;
  }
  return said;
}
constexpr auto kShares = static_cast<std::size_t>(StagePlace::shares);
constexpr auto kCollected = static_cast<std::size_t>(StagePlace::collected);
constexpr auto kMixed = static_cast<std::size_t>(StagePlace::mixed);

/// Scores that are large after the division leave the others nothing; where the mask leaves one
/// key, nothing is said of others.
TEST(StageForms, TheDivisionSaysWhatItLeavesForTheOthers) {
  constexpr auto kScaled = static_cast<std::size_t>(StagePlace::scaled);
  const auto plain = sentencesOf([](Document&) {});
  EXPECT_NE(plain[kScaled].find("will leave something for"), std::string::npos) << plain[kScaled];
  const auto sharp = sentencesOf([](Document& d) { d.config.switches->temperature = 0.05; });
  EXPECT_NE(sharp[kScaled].find("hardly anything for"), std::string::npos) << sharp[kScaled];
  const auto alone = sentencesOf([](Document& d) { d.config.mask.window = 1; });
  EXPECT_EQ(alone[kScaled].find("softmax"), std::string::npos) << alone[kScaled];
}

TEST(StageForms, AHeadThatIsOffHandsOnNothing) {
  const auto said = sentencesOf([](Document& d) {
    d.config.headGains.assign(8, 1.0F);
    d.config.headGains[1] = 0.0F;
  });
  EXPECT_EQ(said[kShares], "Head 2 is switched off: nothing of it is taken in.");
  EXPECT_EQ(said[kCollected], "Head 2 is switched off: its result is 0.");
  EXPECT_NE(said[kMixed].find("draws on 7 of 8 heads"), std::string::npos) << said[kMixed];
}

TEST(StageForms, AForbiddenWordTakesInNothingAtAnyPlace) {
  const auto said = sentencesOf([](Document& d) {
    const Index count = d.config.seqLen;
    PaintedMask mask{count, count,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(count * count), 1)};
    for (Index key = 0; key < count; ++key)
      mask.allowed[static_cast<std::size_t>(kChosen * count + key)] = 0;
    d.config.mask.painted = std::make_shared<const PaintedMask>(std::move(mask));
  });
  EXPECT_EQ(said[0], "The mask forbids every key, so it will take in nothing.");
  EXPECT_EQ(said[kShares], "The mask forbids every key, so nothing is taken in.");
  EXPECT_EQ(said[kCollected], "The mask forbids every key: the result is 0.");
  EXPECT_NE(said[kMixed].find("none of them adds anything"), std::string::npos) << said[kMixed];
}

TEST(StageForms, APinnedWeightChangesWhatTheSharesAddUpTo) {
  const auto said = sentencesOf([](Document& d) {
    d.pins = d.pins.with({{TensorId::weights, 0, 1, kChosen, 3}, 5.0F});
  });
  EXPECT_NE(said[kShares].find("500 % is the largest"), std::string::npos) << said[kShares];
}

TEST(StageForms, AWordThatIsNotKnownIsNamed) {
  AppDriver ui(fireDocument("The blorky cat slept."), 1600, 1000, onStage());
  EXPECT_TRUE(ui.shows("“blorky” is not in the word list")) << ui.screen().all();
  ui.restart(fireDocument("The blorky cat slept by the zlim."), onStage());
  EXPECT_TRUE(ui.shows("2 dotted words are not in the word list")) << ui.screen().all();
  ui.restart(fireDocument("The black cat slept."), onStage());
  EXPECT_FALSE(ui.shows("word list")) << ui.screen().all();
}

TEST(StageForms, ALongSentenceKeepsItsWordsAtEveryPlace) {
  AppDriver ui(
      fireDocument("My grandmother, who lives in the old house near the river, bakes delicious "
                   "bread every Sunday morning, and the neighbours from the small village bring "
                   "fresh butter, sweet honey and warm milk, because they know that she always "
                   "leaves the door open for the children, the tired farmers and the quiet old man "
                   "who repairs broken clocks in winter."),
      1280, 720, onStage());
  EXPECT_TRUE(ui.shows("it has 66 words and marks, and the heads were trained on 5 to 40"));
  for (int i = -1; i < kStagePlaces; ++i) {
    ui.view().stage.at.reset();
    if (i >= 0) ui.view().stage.at = static_cast<double>(i) + 0.99;
    ui.settle();
    EXPECT_TRUE(ui.shows("clocks")) << i << ": " << ui.screen().all();
  }
}

TEST(StageForms, TheNameOfThePresentWordOfManyIsWhole) {
  AttentionConfig config;
  config.dModel = 16;
  config.numHeads = config.numKvHeads = 2;
  std::string text;
  for (int i = 0; i < 700; ++i) text += "dandelion ";
  AppDriver ui(makeDocument("", config, TextSource{{text}, {}}, Positions::named,
                            {WeightInit::xavier, 1, {}}, kTestBudget),
               1280, 720, onStage());
  for (const Index word : {0, 699}) {
    ui.view().stage.word = word;
    ui.settle();
    for (const TextRun& run : ui.screen().cut()) ADD_FAILURE() << word << ": " << run.text;
  }
}

TEST(StageForms, ManyHeadsHaveTheNameOfOneAboveThem) {
  AttentionConfig config;
  config.dModel = 192;
  config.numHeads = config.numKvHeads = 32;
  AppDriver ui(makeDocument("", config, TextSource{{"The cat slept by the fire."}, {}},
                            Positions::named, {WeightInit::designed, 1, {}}, kTestBudget),
               1280, 720, onStage());
  ui.hover(ui.at("5", "small stages"));
  EXPECT_TRUE(ui.shows("head 5")) << ui.screen().all();
}

/// The journey draws both: a square of bias below each key, and the gates of the collected numbers.
TEST(StageForms, ABiasAndAGateAreDrawn) {
  ViewState view = onStage();
  AppDriver ui(presetDocument("alphafold2-evoformer"), 1600, 1000, view);
  const auto drawn = [&](TensorId tensor, StagePlace place) {
    ui.view().stage.at = static_cast<double>(place) + 0.99;
    ui.settle();
    Index count = 0;
    for (const auto& heatmap : ui.heatmaps("sentence")) {
      ui.clickAt(middle(heatmap));
      const auto cell = ui.view().selection.cell;
      if (cell && cell->tensor == tensor) ++count;
      ui.view().selection.page = kStagePage;
      ui.view().stage.at = static_cast<double>(place) + 0.99;
      ui.settle();
      if (count > 0) break;
    }
    return count;
  };
  EXPECT_TRUE(ui.shows("One turn of the helix", "small stages")) << ui.screen().all("small stages");
  EXPECT_EQ(drawn(TensorId::pairBias, StagePlace::scaled), 1);
  EXPECT_EQ(drawn(TensorId::gate, StagePlace::collected), 1);
}

TEST(StageForms, EverySizeAndKindOfInputIsDrawn) {
  const auto shows = [](DocumentPtr document, int width, int height, float scale = 1.0F) {
    ViewState view = onStage();
    view.selection.head = 0;
    view.stage.word = 0;
    view.preferences.scale = scale;
    AppDriver ui(std::move(document), width, height, view);
    for (int i = -1; i < kStagePlaces; ++i) {
      if (i >= 0) ui.view().stage.at = static_cast<double>(i) + 0.5;
      ui.settle();
      const StagePlace place = momentOf(ui.view().stage).place;
      EXPECT_TRUE(ui.shows("numbers", "journey") || ui.shows("Numbers", "journey"))
          << ui.screen().all("journey");
      const StageSubject word{0, 0, 0};
      const StageWords said =
          i < 0 ? stageWords(ui.trace(), word) : stageWords(ui.trace(), word, place);
      EXPECT_TRUE(ui.shows(said.title)) << i;
    }
  };
  shows(textDocument("word", 64, 4), 1280, 720);
  shows(textDocument("The cat sat on the mat", 768, 96), 1600, 1000);
  shows(exampleDocument("sensor"), 1600, 1000);
  shows(exampleDocument("english-german"), 3840, 2160, 2.0F);
  shows(presetDocument("vit-base"), 1280, 720);
}

}  // namespace
}  // namespace headscope::ui
