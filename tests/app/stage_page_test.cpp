// The page Stage: what it says and draws, the words and heads that are chosen, the journey, and the
// way to the numbers and back.
#include "app/ui/stage/stage_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/first_look.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/sentence_layout.h"
#include "app/ui/stage/stage_view.h"
#include "app_driver.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/editing/make_document.h"
#include "core/training/relations.h"
#include "fire_document.h"

namespace headscope::ui {
namespace {

constexpr Index kCat = 1, kSlept = 8;

class StagePageTest : public testing::Test {
 protected:
  AppDriver ui{fireDocument(), 1600, 1000, onStage()};

  float weight(Index head, Index query, Index key) {
    return ui.trace().value({TensorId::weights, 0, head, query, key});
  }
  std::string percent(float weight) { return std::to_string(std::lround(100.0F * weight)) + " %"; }
};

TEST_F(StagePageTest, SaysWhereTheWordLooks) {
  EXPECT_TRUE(ui.shows("“slept” looks at “cat”.")) << ui.screen().all();
  EXPECT_TRUE(ui.shows(percent(weight(1, kSlept, kCat)) + " of what it takes in, in head 2,"));
}

TEST_F(StagePageTest, OpensCalm) {
  std::size_t numerals = 0;
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    if (run.text.find_first_of("0123456789") != std::string::npos) ++numerals;
  }
  EXPECT_LE(numerals, 15U) << ui.screen().all();
  EXPECT_TRUE(ui.heatmaps("").empty());
  EXPECT_FALSE(ui.shows("d_model"));
}

TEST_F(StagePageTest, AClickFollowsAWord) {
  ui.click("by", "sentence");
  EXPECT_EQ(ui.view().stage.word, kSlept + 1);
  EXPECT_TRUE(ui.shows("“by” has nothing to look for"));
}

TEST_F(StagePageTest, AClickOnAHeadShowsTheWordThatShowsItBest) {
  ui.click("Pronoun", "small stages");
  EXPECT_EQ(ui.view().selection.head, 6);
  EXPECT_TRUE(ui.shows("“which” looks at “cat”.")) << ui.screen().all();
}

TEST_F(StagePageTest, AChosenWordStaysWithAHeadThatAnswersIt) {
  ui.click("was", "sentence");
  ui.click("Previous", "small stages");
  EXPECT_TRUE(ui.shows("“was” looks at “which”.")) << ui.screen().all("sentence");
  ui.click("Noun → its", "small stages");  // it has no answer for “was”
  EXPECT_EQ(ui.view().selection.head, 3);
  EXPECT_FALSE(ui.shows("nothing to look for", "sentence")) << ui.screen().all("sentence");

  ui.click("very", "sentence");
  EXPECT_TRUE(ui.shows("In head 4, “very” has nothing to look for.", "sentence"))
      << ui.screen().all("sentence");
  const float most = linksOf(ui.trace(), {0, 3, ui.view().stage.word}).front().weight;
  EXPECT_TRUE(ui.shows("all the same: " + percent(most) + " come from “")) << ui.screen().all();
  EXPECT_TRUE(ui.shows("“Noun → its adjectives” has no answer for this word")) << ui.screen().all();
  ui.click("Noun → its", "small stages");  // again: the word that shows the head best
  EXPECT_TRUE(ui.shows("“cat” looks at “fluffy”.", "sentence")) << ui.screen().all("sentence");
}

TEST_F(StagePageTest, AHeadThatIsRightForFewWordsSaysForHowMany) {
  std::string text = "The tired woman";
  for (int i = 0; i < 14; ++i) text += " who had lost her keys in the rain";
  AppDriver other(fireDocument(text + " smiled."), 1600, 1000, onStage());
  const auto stories = headStories(other.trace(), 0, declaredRelations(other.document()));
  bool any = false;
  for (const HeadStory& story : stories) {
    if (story.right == 0 || 5 * (story.partners - story.right) <= story.partners) continue;
    any = true;
    EXPECT_EQ(noteOf(story, {"word", "words", "sentence"}),
              fmt::format("right for {} of {} words", story.right, story.partners));
  }
  EXPECT_TRUE(any);
}

TEST_F(StagePageTest, TheJourneyEndsWithAWayBackToTheHeads) {
  ui.press(Key::end);
  EXPECT_TRUE(ui.shows("Once more"));
  double whole = 0.0;
  const ScreenText screen = ui.screen();
  for (const TextRun& run : screen.runs()) {
    if (run.window.find("sentence") == std::string::npos || !run.text.ends_with("%")) continue;
    whole += std::stod(run.text.substr(1));  // the head's number stands above its share
  }
  EXPECT_NEAR(whole, 100.0, 4.0) << ui.screen().all("sentence");  // of eight rounded shares
  ui.click("Back to the heads");
  EXPECT_FALSE(ui.view().stage.at.has_value());
  EXPECT_TRUE(ui.shows("Previous word", "small stages"));
}

TEST_F(StagePageTest, TheCellBehindTheStageMovesWithTheHead) {
  ui.press(Key::home);  // the first place: a cell of Q
  ui.click("Show the numbers");
  ASSERT_TRUE(ui.view().selection.cell.has_value());
  const CellRef before = *ui.view().selection.cell;
  ASSERT_EQ(before.tensor, TensorId::qProj);
  ui.view().selection.head = 7;
  ui.settle();
  EXPECT_EQ(ui.view().selection.cell->col, before.col + 6 * ui.config().dK());
  ui.press(Key::escape);
  EXPECT_EQ(ui.view().stage.word, kSlept);  // in any head
}

TEST_F(StagePageTest, SettingsFoldOut) {
  ui.click("Settings", "top bar");
  EXPECT_TRUE(ui.shows("d_model", "top bar"));
  EXPECT_TRUE(ui.shows("edit text"));
  EXPECT_TRUE(ui.shows("Learn", "top bar"));  // the pages stay where they are
  ui.click("Settings", "top bar");
  EXPECT_FALSE(ui.shows("d_model"));
  ui.click("Settings", "top bar");
  ui.press(Key::escape);
  EXPECT_FALSE(ui.shows("d_model"));
}

TEST_F(StagePageTest, ASentenceIsTypedInPlace) {
  ui.click("Your sentence", "top bar");
  ui.type("a dog barks");
  ui.settle();
  EXPECT_EQ(ui.document().input->tokens[0], (std::vector<std::string>{"a", "dog", "barks"}));
  ui.press(Key::enter);
  EXPECT_TRUE(ui.shows("barks", "sentence"));
  EXPECT_TRUE(ui.shows("looks", "sentence")) << ui.screen().all("sentence");
}

TEST_F(StagePageTest, AWordIsDraggedToAnotherPlace) {
  const ImVec2 from = ui.at("warm", "sentence");
  const ImVec2 to = ui.at("The", "sentence");
  ui.hover(from);
  ui.host().button(0, true);
  ui.frame();
  for (int i = 1; i <= 10; ++i) {
    const float share = static_cast<float>(i) / 10.0F;
    ui.host().moveMouse(
        {from.x + (to.x - 30.0F - from.x) * share, from.y + (to.y - from.y) * share});
    ui.frame();
  }
  ui.host().button(0, false);
  ui.settle();
  EXPECT_EQ(ui.document().input->tokens[0][0], "warm");
}

TEST_F(StagePageTest, TheNumbersUnfoldAtTheSameWordAndOpenInFlow) {
  const CellRef slept{TensorId::weights, 0, 1, kSlept, kCat};
  ui.click("Show the numbers");
  EXPECT_EQ(ui.view().selection.page, kStagePage);
  EXPECT_EQ(ui.view().selection.step, StepId::softmax);
  EXPECT_EQ(ui.view().selection.cell, slept);
  EXPECT_TRUE(ui.shows("A[\"slept\", \"cat\"]", kStageNumbersCard)) << ui.screen().all();
  EXPECT_TRUE(ui.shows("“slept” looks at “cat”."));
  ui.click("Open in Flow");
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
  EXPECT_EQ(ui.view().selection.cell, slept);
  ui.press(Key::escape);
  EXPECT_EQ(ui.view().selection.page, kStagePage);
  EXPECT_FALSE(ui.heatmaps(kStageNumbersCard).empty());
  ui.press(Key::escape);
  EXPECT_TRUE(ui.heatmaps(kStageNumbersCard).empty());
  EXPECT_TRUE(ui.shows("Previous word", "small stages"));
}

TEST(StageOnAPhone, ShowsTheNumbersInPlaceOfTheSentence) {
  AppDriver ui(fireDocument(), 420, 860, onStage());
  EXPECT_TRUE(ui.shows("“slept” looks at “cat”."));
  ui.click("Numbers", kJourneyCard);
  EXPECT_FALSE(ui.heatmaps(kStageNumbersCard).empty());
  ui.click("Your sentence");
  EXPECT_TRUE(ui.shows("Everything follows as you type", kSentenceCard));
}

TEST_F(StagePageTest, TheNumbersAndTheStageFollowEachOther) {
  ui.click("Show the numbers");
  ui.click("fluffy", "sentence");  // another word: its own cell
  const Index fluffy = ui.view().stage.word;
  ASSERT_NE(fluffy, kSlept);
  ASSERT_TRUE(ui.view().selection.cell.has_value());
  EXPECT_EQ(ui.view().selection.cell->row, fluffy);

  const Index words = ui.config().seqLen;  // another row: its word
  ui.clickAt(cellAt(ui.heatmaps(kStageNumbersCard).back(), words, words, kSlept, kCat));
  EXPECT_EQ(ui.view().selection.cell, (CellRef{TensorId::weights, 0, 1, kSlept, kCat}));
  EXPECT_TRUE(ui.shows("“slept” looks at “cat”."));

  ui.press(Key::right);  // another place: its step
  EXPECT_EQ(ui.view().selection.step, StepId::weigh);
  ASSERT_TRUE(ui.view().selection.cell.has_value());
  EXPECT_EQ(ui.view().selection.cell->tensor, TensorId::heads);
  EXPECT_EQ(ui.view().selection.cell->row, kSlept);

  ui.view().selection.step = StepId::score;  // from a cell to one of another step
  ui.settle();
  EXPECT_EQ(ui.view().selection.page, kFlowPage);
}

TEST_F(StagePageTest, CtrlAndAClickOpensTheNumbersOfThatWord) {
  for (const char* word : {"by", "warm", "fluffy", "The"}) {
    const auto& tokens = ui.document().input->tokens[0];
    const Index place = std::find(tokens.begin(), tokens.end(), word) - tokens.begin();
    const ImVec2 at = ui.at(word, "sentence");
    ui.host().modifiers(true);
    ui.clickAt(at);
    ui.host().modifiers(false);
    ui.settle();
    ASSERT_TRUE(ui.view().selection.cell.has_value());
    EXPECT_EQ(ui.view().selection.cell->row, place) << word;
    ui.press(Key::escape);
  }
}

TEST_F(StagePageTest, EachPlaceOpensTheNumbersOfItsStep) {
  for (int i = 0; i < kStagePlaces; ++i) {
    const auto place = static_cast<StagePlace>(i);
    ui.view().stage.at = static_cast<double>(i) + 0.9;
    ui.settle();
    EXPECT_TRUE(ui.shows(stageWords(ui.trace(), {0, 1, kSlept}, place).title)) << i;
    ui.click("Show the numbers");
    EXPECT_EQ(ui.view().selection.step, info(place).step) << i;
    ASSERT_TRUE(ui.view().selection.cell.has_value());
    EXPECT_EQ(ui.view().selection.cell->row, kSlept);
    ui.press(Key::escape);
    ASSERT_EQ(ui.view().selection.page, kStagePage);
  }
}

TEST_F(StagePageTest, TheJourneyPlaysAndStops) {
  toggleJourney(ui.view().stage, ui.view().frame);
  EXPECT_TRUE(ui.view().frame.stagePlaying);
  for (int i = 0; i < 20; ++i) ui.frame();
  EXPECT_GT(*ui.view().stage.at, 0.0);
  EXPECT_LT(*ui.view().stage.at, 1.0);
  ui.press(Key::space);
  EXPECT_FALSE(ui.view().frame.stagePlaying);
  ui.press(Key::right);
  EXPECT_EQ(momentOf(ui.view().stage).place, StagePlace::numbers);
  ui.press(Key::end);
  EXPECT_EQ(momentOf(ui.view().stage).place, StagePlace::mixed);
  ui.press(Key::left);
  EXPECT_EQ(momentOf(ui.view().stage).place, StagePlace::heads);
  ui.press(Key::escape);
  EXPECT_FALSE(ui.view().stage.at.has_value());
}

TEST_F(StagePageTest, TheWholeJourneyTakesNinetySeconds) {
  double seconds = 0.0;
  for (int i = 0; i < kStagePlaces; ++i) seconds += info(static_cast<StagePlace>(i)).seconds;
  EXPECT_DOUBLE_EQ(seconds, 90.0);
  EXPECT_EQ(momentOf({-1, journeyAt(0.0), false}).place, StagePlace::word);
  EXPECT_EQ(momentOf({-1, journeyAt(89.0), false}).place, StagePlace::mixed);
  EXPECT_EQ(momentOf({-1, journeyAt(500.0), false}).place, StagePlace::mixed);
}

TEST_F(StagePageTest, BarsOfTheJourneyAreRowsOfTheTrace) {
  ui.view().stage.at = static_cast<double>(StagePlace::collected) + 0.9;
  ui.settle();
  EXPECT_EQ(ui.heatmaps("sentence").size(), 15U);        // the values of 14 words, and the result
  ui.clickAt(middle(ui.heatmaps("sentence")[0]));        // the strongest comes first
  EXPECT_FALSE(ui.heatmaps(kStageNumbersCard).empty());  // a click on a number unfolds its matrix
  ASSERT_TRUE(ui.view().selection.cell.has_value());
  EXPECT_EQ(ui.view().selection.cell->tensor, TensorId::v);
  EXPECT_EQ(ui.view().selection.cell->row, kCat);
}

TEST_F(StagePageTest, ANameHoldsOnlyWhereItsHeadHasSomethingToDo) {
  EXPECT_FALSE(ui.shows("nothing to do here", "small stages")) << ui.screen().all("small stages");
  AppDriver other(fireDocument("The dog sleeps in the garden."), 1600, 1000, onStage());
  EXPECT_TRUE(other.shows("nothing to do here", "small stages"));  // no adjective, no pronoun
}

TEST_F(StagePageTest, TheStripOfFlowSaysTheSameOfEveryHead) {
  ui.view().selection.page = kFlowPage;
  ui.settle();
  for (const char* name : {"Previous word", "Verb → its subject", "Adjective → its noun",
                           "Noun → its adjectives", "Determiner → its noun",
                           "Preposition → its object", "Pronoun → its noun", "Word → its verb"}) {
    EXPECT_TRUE(ui.shows(name, "strip")) << ui.screen().all("strip");
  }
  ViewState flow = onStage();
  flow.selection.page = kFlowPage;
  AppDriver other(fireDocument("The dog sleeps in the garden."), 1600, 1000, flow);
  EXPECT_TRUE(other.shows("nothing to do here", "strip")) << other.screen().all("strip");
  AppDriver low(fireDocument("The dog sleeps in the garden."), 1280, 720, flow);
  EXPECT_TRUE(low.shows("no job here", "strip")) << low.screen().all("strip");
  EXPECT_FALSE(low.shows("nothing to", "strip")) << "a half of the longer phrase";
}

TEST_F(StagePageTest, OpensOnAWordWhereNothingIsDeclared) {
  AppDriver other(textDocument("The cat slept."), 1600, 1000, onStage());
  const auto stories = headStories(other.trace(), 0, {});
  for (const HeadStory& story : stories) EXPECT_LT(story.best, 3) << "the full stop";
  const auto declared = headStories(ui.trace(), 0, declaredRelations(ui.document()));
  EXPECT_NE(declared.front().best, 13) << "previous word: of the full stop, too";
  ViewState ofModel;
  ofModel.selection.page = kModelPage;
  ofModel.model.place.folder = "headscope:stories";
  FirstLook look;
  look.open(ui.document(), ofModel);
  EXPECT_EQ(ofModel.selection.page, kModelPage);
  EXPECT_EQ(ofModel.stage.word, kSlept);
}

TEST(StageArcs, OfNeighboursAreSeenOnEveryLine) {
  const std::vector<WordWidth> words(60, WordWidth{3.0F});
  SentenceSpace space{{{0.0F, 0.0F}, {1228.0F, 240.0F}}};
  const SentenceLayout layout = layoutSentence(words, space);
  ASSERT_GT(layout.lines, 1);
  EXPECT_GE(layout.arcRoom, 1.5F * layout.letters);
}

/// The journey shows one sentence at places with more and less room.
TEST(StageLines, BreakAlikeWhereAnotherLayoutGivesThem) {
  const std::vector<WordWidth> words(40, WordWidth{3.0F});
  const SentenceLayout wide = layoutSentence(words, {{{0.0F, 0.0F}, {1228.0F, 400.0F}}});
  SentenceSpace space{{{0.0F, 0.0F}, {1228.0F, 240.0F}}};
  EXPECT_NE(layoutSentence(words, space).firstWords(), wide.firstWords());
  space.lines = wide.firstWords();
  const SentenceLayout alike = layoutSentence(words, space);
  EXPECT_EQ(alike.firstWords(), wide.firstWords());
  EXPECT_LE(alike.words.back().b.y, 240.5F);
  space.room.b = {500.0F, 700.0F};  // too narrow for them
  EXPECT_GT(layoutSentence(words, space).lines, alike.lines);
}

TEST(StageStories, CountFoundPartners) {
  AppDriver ui(fireDocument(), 1600, 1000, onStage());
  const DeclaredRelations relations = declaredRelations(ui.document());
  const auto stories = headStories(ui.trace(), 0, relations);
  ASSERT_EQ(stories.size(), 8U);
  EXPECT_EQ(stories[1].kind, HeadStory::Kind::found);
  EXPECT_EQ(stories[1].best, kSlept);  // the farther of its two partners
  const auto none = headStories(ui.trace(), 0, {});
  EXPECT_EQ(none[1].kind, HeadStory::Kind::undeclared);
}

TEST(StageStories, LinksAreTheStrongOnes) {
  const std::vector<float> row{0.01F, 0.7F, 0.08F, 0.2F, 0.01F};
  const auto links = strongLinks(row, 2);
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0].key, 1);
  EXPECT_EQ(links[1].key, 3);
  EXPECT_EQ(links[2].key, 2);
  EXPECT_EQ(strongLinks(row, 2, 1).size(), 1U);
  EXPECT_TRUE(strongLinks(std::vector<float>(4, 0.0F), 0).empty());
}

TEST_F(StagePageTest, SaysWhyTheWordLooksThere) {
  ui.click("Why does it look there?");
  EXPECT_TRUE(ui.shows("the word class (verb) of “slept” meets the word class (noun) of “cat”"))
      << ui.screen().all();
  ui.click("Why does it look there?");
  EXPECT_FALSE(ui.shows("word class")) << ui.screen().all();
}

TEST(StageWords, ShowWordsWithoutTheMarkOfSentencePiece) {
  EXPECT_EQ(stageWord("\u2581cat"), "cat");
  EXPECT_EQ(stageWord("s"), "s");
  EXPECT_EQ(stageWord("·cat"), "cat");
  EXPECT_EQ(stageWord("\u2581"), "·");
  EXPECT_FALSE(isWord(stageWord("\u2581\u2581")));
  EXPECT_EQ(stageWord(""), "[pad]");
  ViewState view = onStage();
  view.stage.word = 0;
  AppDriver ui(textDocument("\u2581The \u2581cat", 64, 4), 1280, 720, view);
  ui.settle();
  EXPECT_TRUE(ui.shows("The", "sentence")) << ui.screen().all("sentence");
  EXPECT_EQ(ui.screen().all().find("\u2581"), std::string::npos) << ui.screen().all();
}

TEST(StageWords, TellOfABiasAndAGate) {
  ViewState view = onStage();
  AppDriver ui(presetDocument("alphafold2-evoformer"), 1280, 720, view);
  ui.settle();
  const Trace& trace = ui.trace();
  StageSubject word;
  const auto sentence = [&](StagePlace place) { return stageWords(trace, word, place).sentence; };
  float bias = 0.0F;
  // a head and a word whose largest share has a bias
  for (Index at = 0; bias == 0.0F && at < 7 * trace.config().seqLen; ++at) {
    word = {0, 1 + at % 7, at / 7};
    Index top = 0;
    const auto weightOf = [&](Index key) {
      return trace.value({TensorId::weights, 0, word.head, word.word, key});
    };
    for (Index j = 1; j < trace.config().keys(); ++j) top = weightOf(j) > weightOf(top) ? j : top;
    bias = trace.value({TensorId::pairBias, -1, word.head, word.word, top});
  }
  ASSERT_NE(bias, 0.0F);
  EXPECT_EQ(labelOf(StagePlace::scaled, trace.document()), "÷ √32, + bias");
  EXPECT_EQ(labelOf(StagePlace::collected, trace.document()), "collected, gated");
  EXPECT_NE(sentence(StagePlace::shares)
                .find("a bias for each pair is added to the scores, " + cellNumber(bias, 2)),
            std::string::npos)
      << sentence(StagePlace::shares);
  float least = 1.0F;
  for (Index d = 0; d < trace.config().dK(); ++d) {
    least = std::min(least, trace.value({TensorId::gate, 0, word.head, word.word, d}));
  }
  EXPECT_NE(sentence(StagePlace::collected).find("through, here " + cellNumber(least, 2)),
            std::string::npos)
      << sentence(StagePlace::collected);
  EXPECT_NE(sentence(StagePlace::heads).find("each number times its gate"), std::string::npos);
  AppDriver plain(fireDocument(), 1280, 720, view);
  for (const StagePlace place : {StagePlace::shares, StagePlace::collected, StagePlace::heads}) {
    const std::string said = stageWords(plain.trace(), word, place).sentence;
    EXPECT_EQ(said.find("bias"), std::string::npos) << said;
    EXPECT_EQ(said.find("gate"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace headscope::ui
