// Sessions in the window: saved, opened, autosaved and restored; scenes set and recalled.
#include "core/formats/session.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <regex>
#include <thread>
#include <vector>

#include "app/autosave.h"
#include "app/session_writer.h"
#include "app/view_json.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

TEST_F(SessionWindow, IsSavedAndOpenedAsItWas) {
  ui_.typeSentence("Keep these words");
  ui_.view().selection.step = StepId::softmax;
  ui_.view().selection.head = 5;
  ui_.press(Key{'S'}, true);
  EXPECT_TRUE(ui_.shows("Save the session"));
  ui_.press(Key{'A'}, true);
  ui_.type((folder_ / "lecture").string());
  ui_.press(Key::enter);
  EXPECT_EQ(ui_.app().message(), "saved " + lecture().string());
  EXPECT_FALSE(ui_.shows("Save the session"));
  EXPECT_TRUE(ui_.shows("lecture ▾", "tokens"));
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");

  const TracePtr before = ui_.app().trace();
  ui_.typeSentence("Something else altogether");
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");
  ui_.view().selection.head = 0;
  ui_.press(Key{'O'}, true);
  EXPECT_TRUE(ui_.shows("lecture.headscope.json", "session dialog"));
  ui_.type("lecture");
  ui_.press(Key::enter);
  EXPECT_TRUE(ui_.shows("your changes of 'lecture' are not saved yet", "session dialog"));
  ui_.press(Key::enter);
  EXPECT_EQ(ui_.document().input->tokens[0], (std::vector<std::string>{"Keep", "these", "words"}));
  EXPECT_EQ(ui_.view().selection.step, StepId::softmax);
  EXPECT_EQ(ui_.view().selection.head, 5);
  EXPECT_TRUE(sameValues(*before, ui_.trace(), TensorId::output));
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(ui_.document().input->tokens[0][0], "Something");
}

TEST_F(SessionWindow, TokensChosenOnTheHeadsPageComeBack) {
  ui_.view().selection.page = kHeadsPage;
  ui_.view().selection.cell = CellRef{TensorId::weights, 0, 0, 2, 3};
  ui_.settle();
  ASSERT_EQ(ui_.view().heads.query, 2) << "a cell that is chosen chooses its tokens";
  ui_.view().heads.query = 5;  // others since
  ui_.view().heads.key = -1;
  saveAs(lecture());
  for (const bool atStart : {false, true}) {
    ui_.view().heads.query = -1;
    ui_.view().selection.cell.reset();
    ui_.settle();
    const auto session = formats::loadSession(lecture(), kTestBudget);
    if (atStart) {
      ui_.restart(session.document, viewFromJson(session.view, {}));
    } else {
      ui_.app().dropFiles({lecture()});
    }
    ui_.settle();
    EXPECT_TRUE(ui_.view().selection.cell);
    EXPECT_EQ(ui_.view().heads.query, 5) << atStart;
    EXPECT_EQ(ui_.view().heads.key, -1) << atStart;
  }
}

/// A second window changes the file of an open session.
class TwoWindows : public SessionWindow {
 protected:
  TwoWindows() {
    saveAs(lecture());
    ui_.typeSentence("From this window");
    formats::saveSession(lecture(), {textDocument("From the other"), "{}", {}, {}});
  }
  std::string firstToken(const fs::path& path) const {
    return formats::loadSession(path, kTestBudget).document->input->tokens[0].back();
  }
};

TEST_F(TwoWindows, TheSecondSaveAsksBeforeItDiscardsTheFirst) {
  const std::string theirs = readAll(lecture());
  ui_.press(Key{'S'}, true);
  EXPECT_EQ(readAll(lecture()), theirs);
  EXPECT_TRUE(ui_.shows("lecture.headscope.json has changed since it was opened or saved",
                        "session dialog"));
  ui_.click("Cancel", "session dialog");
  EXPECT_FALSE(ui_.window("session dialog"));
  EXPECT_EQ(readAll(lecture()), theirs);
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");

  ui_.press(Key{'S'}, true);
  ui_.click("Save under another name …", "session dialog");
  EXPECT_TRUE(ui_.shows("Save the session", "session dialog"));
  ui_.press(Key{'A'}, true);
  ui_.type((folder_ / "mine").string());
  ui_.press(Key::enter);
  EXPECT_EQ(readAll(lecture()), theirs);
  EXPECT_EQ(firstToken(folder_ / "mine.headscope.json"), "window");
  EXPECT_EQ(ui_.app().title(), "mine · headscope");
}

TEST_F(TwoWindows, SavesOverItWhenAskedTo) {
  ui_.press(Key{'S'}, true);
  ui_.click("Save over it", "session dialog");
  EXPECT_EQ(firstToken(lecture()), "window");
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
  ui_.typeSentence("Once more from here");
  ui_.press(Key{'S'}, true);
  EXPECT_FALSE(ui_.window("session dialog")) << "the file is as it was saved here";
  EXPECT_EQ(firstToken(lecture()), "here");
}

TEST_F(TwoWindows, OpenedAgainItIsSavedWithoutAQuestion) {
  ui_.app().dropFiles({lecture()});
  ui_.settle();
  ui_.app().dropFiles({lecture()});  // what is unsaved is left
  ui_.settle();
  ui_.typeSentence("After theirs");
  ui_.press(Key{'S'}, true);
  EXPECT_FALSE(ui_.window("session dialog"));
  EXPECT_EQ(firstToken(lecture()), "theirs");
}

TEST_F(SessionWindow, CtrlSSavesToItsFileAgain) {
  saveAs(lecture());
  ui_.typeSentence("Second version");
  ui_.press(Key{'S'}, true);
  const auto session = formats::loadSession(lecture(), kTestBudget);
  EXPECT_EQ(session.document->input->tokens[0][0], "Second");
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
}

TEST_F(SessionWindow, ADroppedSessionIsOpened) {
  formats::saveSession(lecture(), {textDocument("From a file"), "{}", {}, {}});
  ui_.app().dropFiles({lecture()});
  ui_.settle();
  EXPECT_EQ(ui_.document().input->tokens[0][0], "From");
  EXPECT_EQ(ui_.undoAll(), 1);
}

TEST_F(SessionWindow, AnotherFileIsReplacedOnlyWhenAskedTwice) {
  folder_.file("lecture.headscope.json", "mine");
  saveAs(lecture());
  EXPECT_TRUE(ui_.shows("already exists"));
  EXPECT_EQ(readAll(lecture()), "mine");
  ui_.click("Save", "session dialog");
  EXPECT_EQ(ui_.app().message(), "saved " + lecture().string());
  EXPECT_NO_THROW(formats::loadSession(lecture(), kTestBudget));
}

TEST_F(SessionWindow, EnterOpensTheFileThatIsChosenInTheList) {
  formats::saveSession(lecture(), {textDocument("From a file"), "{}", {}, {}});
  saveAs(folder_ / "other");  // the dialog's folder from now on
  ui_.press(Key{'O'}, true);
  ui_.click("lecture.headscope.json", "found");
  EXPECT_EQ(ui_.document().input->tokens[0][0], "The");
  ui_.press(Key::enter);
  EXPECT_FALSE(ui_.window("session dialog"));
  EXPECT_EQ(ui_.document().input->tokens[0][0], "From");
}

TEST_F(SessionWindow, AWarningLeavesTheButtonUnderTheMouse) {
  formats::saveSession(lecture(), {textDocument("From a file"), "{}", {}, {}});
  saveAs(folder_ / "other");
  ui_.typeSentence("Not saved yet");
  ui_.press(Key{'O'}, true);
  ui_.click("lecture.headscope.json", "found");
  const ImVec2 button = ui_.at("Open", "session dialog");
  ui_.clickAt(button);
  EXPECT_TRUE(ui_.shows("open again to discard the changes", "session dialog"));
  EXPECT_EQ(ui_.at("Open", "session dialog").y, button.y);
  ui_.clickAt(button);
  EXPECT_EQ(ui_.document().input->tokens[0][0], "From");
}

TEST_F(SessionWindow, WhatCannotBeOpenedOrSavedIsSaidAndNothingIsLost) {
  const DocumentPtr before = ui_.app().document();
  ui_.press(Key{'O'}, true);
  ui_.type("nowhere");
  ui_.press(Key::enter);
  EXPECT_TRUE(ui_.shows("There is no"));
  ui_.press(Key::escape);
  EXPECT_FALSE(ui_.window("session dialog"));
  const auto damaged = folder_.file("damaged.headscope.json", R"({"format":"headscope session",)");
  ui_.app().dropFiles({damaged});
  ui_.settle();
  EXPECT_NE(ui_.app().message().find("damaged.headscope.json"), std::string::npos);
  EXPECT_EQ(ui_.app().document(), before);

  ui_.typeSentence("Not saved yet");
  saveAs(folder_ / "none" / "lecture");
  EXPECT_TRUE(ui_.shows("There is no folder"));
  ui_.press(Key::escape);
  // writing fails once the name is taken: a device that is always full
  fs::create_symlink("/dev/full", lecture());
  saveAs(lecture());
  ui_.click("Save", "session dialog");
  EXPECT_EQ(ui_.app().message().rfind("not saved: ", 0), 0U) << ui_.app().message();
  EXPECT_EQ(ui_.document().input->tokens[0][0], "Not");
  EXPECT_EQ(ui_.app().title(), "headscope");  // still without a file: ctrl+s asks again
}

TEST_F(SessionWindow, ScenesAreSetAndRecalled) {
  ui_.view().selection.step = StepId::mask;
  ui_.view().selection.head = 2;
  ui_.press(Key{'3'}, true);
  const DocumentPtr first = ui_.app().document();
  ui_.typeSentence("Quite another sentence");
  ui_.view().selection.step = StepId::output;
  ui_.press(Key{'4'}, true);
  const DocumentPtr second = ui_.app().document();
  ui_.press(Key{'3'});
  EXPECT_EQ(ui_.app().document(), first);
  EXPECT_EQ(ui_.trace().documentPtr(), first);
  EXPECT_EQ(ui_.view().selection.step, StepId::mask);
  EXPECT_EQ(ui_.view().selection.head, 2);
  EXPECT_TRUE(ui_.shows("scene 3: Mask, head 3"));
  ui_.press(Key{'4'});
  EXPECT_EQ(ui_.view().selection.step, StepId::output);
  EXPECT_EQ(ui_.app().document(), second);
  ui_.press(Key{'Z'}, true);
  EXPECT_TRUE(ui_.shows("undone: scene 4"));
  EXPECT_EQ(ui_.app().document(), first);
  ui_.press(Key{'7'});
  EXPECT_TRUE(ui_.shows("scene 7 is not set: ctrl+7 sets it"));
}

TEST_F(SessionWindow, ASceneWithMoreHeadsComesWithItsView) {
  ui_.restart(textDocument("The cat sat", 512, 16));
  ui_.view().selection.head = 15;
  ui_.press(Key{'1'}, true);
  ui_.typeInto("heads", "4");
  ui_.press(Key::enter);
  EXPECT_EQ(ui_.view().selection.head, 3);
  ui_.press(Key{'1'});
  EXPECT_EQ(ui_.config().numHeads, 16);
  EXPECT_EQ(ui_.view().selection.head, 15);
}

TEST_F(SessionWindow, TheListOfScenesSetsTitlesAndRemoves) {
  ui_.click("Scenes", "inspector");
  const DocumentPtr first = ui_.app().document();
  ui_.click("set", "scene list");  // the last of them
  EXPECT_TRUE(ui_.shows("scene 9 is set"));
  ui_.click("Score, head 1", "scene list");
  ui_.press(Key{'A'}, true);
  ui_.type("First 2 look");  // keys do not act while they are typed
  ui_.press(Key::enter);
  EXPECT_FALSE(ui_.shows("scene 2"));
  EXPECT_TRUE(ui_.shows("First 2 look", "scene list"));
  ui_.typeSentence("Other words");
  ui_.click("9", "scene list");
  EXPECT_EQ(ui_.app().document(), first);
  saveAs(lecture());
  const auto scenes = formats::loadSession(lecture(), kTestBudget).scenes;
  ASSERT_EQ(scenes.size(), 1U);
  EXPECT_EQ(scenes[0].words.title, "First 2 look");
  ui_.click("×", "scene list");
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");
  EXPECT_FALSE(ui_.shows("First 2 look", "scene list"));
}

TEST_F(SessionWindow, DigitsTypedIntoASentenceRecallNothing) {
  ui_.press(Key{'3'}, true);
  ui_.view().selection.head = 4;
  ui_.press(Key{'E'}, true);
  ui_.press(Key{'3'});
  EXPECT_EQ(ui_.view().selection.head, 4);
}

TEST_F(SessionWindow, UnsavedScenesAreGivenUpOnlyWhenAskedTwice) {
  formats::saveSession(lecture(), {textDocument("From a file"), "{}", {}, {}});
  ui_.press(Key{'3'}, true);
  const DocumentPtr before = ui_.app().document();
  ui_.app().dropFiles({lecture()});
  ui_.settle();
  EXPECT_EQ(ui_.app().document(), before);
  EXPECT_TRUE(ui_.shows("the scenes are not saved yet"));
  ui_.app().dropFiles({lecture()});
  ui_.settle();
  EXPECT_EQ(ui_.document().input->tokens[0][0], "From");
}

TEST_F(Autosave, FollowsEveryChangeAndGoesOnACleanExit) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  EXPECT_TRUE(autosaves().empty());
  ui_.typeSentence("Not saved yet");
  ASSERT_EQ(autosaves().size(), 1U);
  const auto kept = formats::loadSession(autosaves().front(), kTestBudget);
  EXPECT_EQ(kept.document->input->tokens[0][0], "Not");
  ui_.press(Key{'3'}, true);
  EXPECT_EQ(formats::loadSession(autosaves().front(), kTestBudget).scenes.size(), 1U);
  saveAs(lecture());
  EXPECT_TRUE(autosaves().empty());  // there is nothing that the file has not
  ui_.typeSentence("Changed again");
  EXPECT_EQ(formats::originOf(autosaves().at(0)), lecture().string());
  ui_.undoAll();
  ui_.typeSentence("Words before the crash");
  saveAs(lecture());
  ui_.restart(presetDocument("by-hand"));
  EXPECT_TRUE(fs::is_empty(state_.path()));
}

TEST_F(Autosave, OfTryingThingsOutGoesButChangesToASessionStayUntilTheNextStart) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Only a try");
  ui_.restart(presetDocument("by-hand"));
  EXPECT_TRUE(fs::is_empty(state_.path()));
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  saveAs(lecture());
  ui_.typeSentence("Changed after saving");
  ui_.restartKeeping(state_.path(), presetDocument("by-hand"));
  EXPECT_TRUE(ui_.shows("'lecture' was not saved before headscope ended. Restore it as of"));
  ui_.press(Key{'R'}, true, true);
  EXPECT_EQ(ui_.document().input->tokens[0][0], "Changed");
}

TEST_F(Autosave, IsOfferedAfterACrashAndRestoresEverything) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Words before the crash");
  saveAs(lecture());
  ui_.view().selection.step = StepId::weigh;
  ui_.view().selection.head = 6;
  ui_.typeSentence("Words in the crash");
  ui_.press(Key{'2'}, true);
  const TempFolder left;
  leaveIn(left);
  const TracePtr before = ui_.app().trace();

  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  EXPECT_TRUE(ui_.shows("'lecture' was not saved before headscope ended. Restore it as of"));
  ui_.press(Key{'R'}, true, true);
  EXPECT_FALSE(ui_.shows("not saved before headscope ended"));
  EXPECT_EQ(ui_.view().selection.step, StepId::weigh);
  EXPECT_EQ(ui_.view().selection.head, 6);
  EXPECT_TRUE(sameValues(*before, ui_.trace(), TensorId::output));
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");
  EXPECT_EQ(ui_.undoAll(), 1);
  ui_.press(Key{'Y'}, true);
  ui_.press(Key{'2'});
  EXPECT_EQ(ui_.document().input->tokens[0][2], "the");
  EXPECT_EQ(abandonedAutosaves(left.path()).size(), 0U);
}

TEST_F(Autosave, TheOfferCoversNothingOfTheWindow) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Words in the crash");
  const TempFolder left;
  leaveIn(left);
  for (const int width : {1600, 700}) {
    ui_.host().resize(width, 1000);
    ui_.restartKeeping(left.path(), presetDocument("by-hand"));
    const auto offer = ui_.window("recovery");
    ASSERT_TRUE(offer);
    const gl::Bounds tokens = ui_.window("tokens").value();
    const gl::Bounds body = ui_.window("body").value();
    EXPECT_TRUE(offer->y0 >= tokens.y1 || offer->y1 <= tokens.y0) << width;
    EXPECT_LE(offer->y1, body.y0) << width;
    ui_.click("edit text", "tokens");
    EXPECT_TRUE(ui_.shows("done", "tokens"));
  }
  ui_.press(Key::escape);
  ui_.press(Key{'X'}, true, true);
  ui_.press(Key{'X'}, true, true);
  EXPECT_EQ(ui_.window("body")->y0, ui_.window("tokens")->y1);
}

TEST_F(Autosave, ALockThatAProgramLeftBehindGoes) {
  const auto left = state_.file("autosave-1.lock", "");
  const AutosaveSlot running(state_.path());
  EXPECT_TRUE(abandonedAutosaves(state_.path()).empty());
  EXPECT_FALSE(fs::exists(left));
  fs::path lock = running.path();
  lock.replace_extension().replace_extension(".lock");
  EXPECT_TRUE(fs::exists(lock));  // … that of one that runs stays
}

/// A program makes its lock's file and then locks it. If another program removed the file in
/// between, the first would hold a lock that nobody sees.
TEST_F(Autosave, AProgramsLockIsSeenByAllWhoeverClearsUpMeanwhile) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> sweepers;
  for (int i = 0; i < 3; ++i) {
    sweepers.emplace_back([&] {
      while (!stop) abandonedAutosaves(state_.path());
    });
  }
  for (int i = 0; i < 3000; ++i) {
    const AutosaveSlot slot(state_.path());
    fs::path lock = slot.path();
    lock.replace_extension().replace_extension(".lock");
    const bool seen = fs::exists(lock);
    EXPECT_TRUE(seen) << i;
    if (!seen) break;
  }
  stop = true;
  for (std::thread& sweeper : sweepers) sweeper.join();
}

TEST_F(Autosave, TwoWindowsKeepTheirsApart) {
  const AutosaveSlot first(state_.path()), second(state_.path());
  ASSERT_NE(first.path(), second.path());
  const std::string origin = lecture().string();
  formats::saveSession(first.path(), {textDocument("In the first"), "{}", {}, origin});
  formats::saveSession(second.path(), {textDocument("In the second"), "{}", {}, origin});
  for (const auto& [slot, last] : {std::pair(&first, "first"), std::pair(&second, "second")}) {
    const auto kept = formats::loadSession(slot->path(), kTestBudget);
    EXPECT_EQ(kept.document->input->tokens[0].back(), last);
  }
}

TEST_F(Autosave, ARestoredSessionAsksBeforeItReplacesWhatWasSavedSince) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  saveAs(lecture());
  ui_.typeSentence("Words in the crash");
  const TempFolder left;
  leaveIn(left);
  ui_.restart(presetDocument("by-hand"));
  formats::saveSession(lecture(), {textDocument("From the other"), "{}", {}, {}});
  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  ui_.press(Key{'R'}, true, true);
  ui_.press(Key{'S'}, true);
  EXPECT_TRUE(ui_.shows("has changed since it was opened or saved", "session dialog"));
  EXPECT_EQ(formats::loadSession(lecture(), kTestBudget).document->input->tokens[0].back(),
            "other");
}

TEST_F(Autosave, IsDiscardedWithItsFiles) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Words in the crash");
  const TempFolder left;
  leaveIn(left);
  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  EXPECT_TRUE(ui_.shows("What was changed was not saved before headscope ended"));
  ui_.click("Discard (ctrl+shift+x)", "recovery");
  EXPECT_TRUE(ui_.shows("Discarding cannot be undone", "recovery"));
  EXPECT_EQ(abandonedAutosaves(left.path()).size(), 1U);
  ui_.press(Key{'X'}, true, true);
  EXPECT_FALSE(ui_.shows("not saved before headscope ended"));
  ui_.restart(presetDocument("by-hand"));
  EXPECT_TRUE(fs::is_empty(left.path()));
}

TEST_F(Autosave, LettersAnswerNothing) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Words in the crash");
  const TempFolder left;
  leaveIn(left);
  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  ui_.press(Key{'R'});
  ui_.press(Key{'R'});
  ui_.press(Key{'R'}, true);
  ui_.press(Key{'X'});  // a head is switched off and on again
  ui_.press(Key{'X'});
  EXPECT_TRUE(ui_.shows("not saved before headscope ended"));
  EXPECT_NE(ui_.document().input->tokens[0][0], "Words");
  // while a sentence is typed the keys of the offer are none either
  ui_.press(Key{'E'}, true);
  ui_.press(Key{'R'}, true, true);
  ui_.press(Key{'X'}, true, true);
  ui_.press(Key{'X'}, true, true);
  EXPECT_TRUE(ui_.shows("not saved before headscope ended"));
  EXPECT_EQ(abandonedAutosaves(left.path()).size(), 1U);
  ui_.press(Key::escape);
  ui_.press(Key{'X'}, true, true);
  ui_.press(Key{'X'}, true, true);  // it asks once more
  EXPECT_TRUE(abandonedAutosaves(left.path()).empty());
  EXPECT_TRUE(ui_.config().headGains.empty());
}

TEST(TimeInWords, NamesTheYearOfAnotherDay) {
  const std::time_t now = std::time(nullptr);
  const auto file = fs::file_time_type::clock::now();
  const auto hours = [](int n) { return std::chrono::hours(n); };
  EXPECT_TRUE(std::regex_match(timeInWords(file - hours(24 * 400), now),
                               std::regex("\\d\\d \\w+ 20\\d\\d \\d\\d:\\d\\d")))
      << timeInWords(file - hours(24 * 400), now);
}

TEST_F(Autosave, OfARunningProgramIsNotOffered) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Still running");
  EXPECT_TRUE(abandonedAutosaves(state_.path()).empty());
  const AutosaveSlot second(state_.path());
  EXPECT_NE(second.path(), autosaves().at(0));
}

TEST_F(Autosave, ThatIsDamagedIsNamedAndStays) {
  const auto path = state_.file("autosave-1.headscope.json", "{");
  ui_.restartKeeping(state_.path(), presetDocument("by-hand"));
  ui_.press(Key{'R'}, true, true);
  EXPECT_NE(ui_.app().message().find("autosave-1.headscope.json"), std::string::npos);
  EXPECT_FALSE(ui_.shows("not saved before headscope ended"));
  EXPECT_TRUE(fs::exists(path));
}

TEST(SessionWriter, WritesTheNewestOfWhatItWasGivenWhenTheFirstIsDue) {
  constexpr double kNever = 1e6;  // seconds: this test would not end
  const TempFolder folder;
  const fs::path path = folder / "a.headscope.json";
  Scheduler scheduler;
  SessionWriter writer(scheduler);
  writer.write(path, {textDocument("first"), "{}", {}, {}}, 0.4);
  writer.write(path, {textDocument("second"), "{}", {}, {}}, kNever);  // due with the first
  writer.wait(false);
  EXPECT_EQ(formats::loadSession(path, kTestBudget).document->input->tokens[0][0], "second");
  EXPECT_TRUE(writer.take());
  EXPECT_FALSE(writer.take());
}

TEST(ViewJson, ComesBackAndIsClamped) {
  ViewState view;
  view.selection.step = StepId::concat;
  view.selection.item = 3;
  view.selection.head = 7;
  view.selection.part = TensorId::v;
  view.selection.scope = StageScope::allHeads;
  view.selection.cell = CellRef{TensorId::weights, 3, 7, 2, 1};
  view.preferences.colorMaps = 1;
  view.preferences.animate = false;
  view.preferences.playSpeed = 0.5F;
  view.selection.tool = "perhead";
  view.selection.inspectorTab = InspectorTab::scenes;
  view.selection.against = Against::rightWay;
  view.selection.mistake = Mistake::sharedHead;
  view.preferences.termOrder = {TermColumn::contribution, true};
  view.selection.trail = {CellRef{TensorId::output, 3, -1, 2, 5}, *view.selection.cell};
  view.selection.decodePosition = 4;
  view.selection.playTime = 12.5;
  view.selection.playQuery = 6;
  ViewState mine;
  mine.preferences.theme = ThemeKind::dark;
  mine.preferences.scale = 2.0F;
  const ViewState back = viewFromJson(viewToJson(view), mine);
  EXPECT_EQ(viewToJson(back), viewToJson(view));
  EXPECT_EQ(back.selection.cell, view.selection.cell);
  EXPECT_EQ(back.selection.against, Against::rightWay);
  EXPECT_EQ(back.selection.mistake, Mistake::sharedHead);
  EXPECT_EQ(back.preferences.termOrder, view.preferences.termOrder);
  EXPECT_EQ(back.selection.trail, view.selection.trail);
  EXPECT_EQ(back.selection.decodePosition, 4);
  EXPECT_EQ(back.selection.playTime, 12.5);
  EXPECT_EQ(back.selection.playQuery, 6);
  // a state of the history does not come with the view
  view.selection.against = Against::state;
  EXPECT_EQ(viewFromJson(viewToJson(view), mine).selection.against, Against::lastEdit);
  EXPECT_EQ(back.preferences.theme, ThemeKind::dark);
  EXPECT_EQ(back.preferences.scale, 2.0F);

  const ViewState odd = viewFromJson(
      R"({"step":"dance","head":-5,"item":1e99,"tool":7,"later":[],"animate":"no","selected":"x"})",
      view);
  EXPECT_EQ(odd.selection.step, StepId::concat);
  EXPECT_EQ(odd.selection.head, 0);
  EXPECT_EQ(odd.selection.item, Limits::kBatch - 1);
  EXPECT_EQ(odd.selection.tool, "perhead");
  EXPECT_FALSE(odd.preferences.animate);
  // a tool of a newer program stays what it is, and is written again
  const ViewState newer = viewFromJson(R"({"tool":"training"})", view);
  EXPECT_EQ(newer.selection.tool, "training");
  EXPECT_NE(viewToJson(newer).find(R"("tool":"training")"), std::string::npos);
  EXPECT_FALSE(odd.selection.cell);
  EXPECT_EQ(viewFromJson("no json", view).selection.step, StepId::concat);
}

}  // namespace
}  // namespace headscope::ui
