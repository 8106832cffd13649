// Sessions in the window: saved and opened; scenes set and recalled.
#include "core/formats/session.h"

#include <filesystem>
#include <vector>

#include "app/session_store.h"
#include "app/session_writer.h"
#include "app/view_json.h"
#include "core/attention/limits.h"
#include "core/document/trace.h"
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
  EXPECT_TRUE(ui_.shows("lecture.headscope.json", "file dialog"));
  ui_.type("lecture");
  ui_.press(Key::enter);
  EXPECT_TRUE(ui_.shows("your changes of 'lecture' are not saved yet", "file dialog"));
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
  EXPECT_TRUE(
      ui_.shows("lecture.headscope.json has changed since it was opened or saved", "file dialog"));
  ui_.click("Cancel", "file dialog");
  EXPECT_FALSE(ui_.window("file dialog"));
  EXPECT_EQ(readAll(lecture()), theirs);
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");

  ui_.press(Key{'S'}, true);
  ui_.click("Save under another name …", "file dialog");
  EXPECT_TRUE(ui_.shows("Save the session", "file dialog"));
  ui_.press(Key{'A'}, true);
  ui_.type((folder_ / "mine").string());
  ui_.press(Key::enter);
  EXPECT_EQ(readAll(lecture()), theirs);
  EXPECT_EQ(firstToken(folder_ / "mine.headscope.json"), "window");
  EXPECT_EQ(ui_.app().title(), "mine · headscope");
}

TEST_F(TwoWindows, SavesOverItWhenAskedTo) {
  ui_.press(Key{'S'}, true);
  ui_.click("Save over it", "file dialog");
  EXPECT_EQ(firstToken(lecture()), "window");
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
  ui_.typeSentence("Once more from here");
  ui_.press(Key{'S'}, true);
  EXPECT_FALSE(ui_.window("file dialog")) << "the file is as it was saved here";
  EXPECT_EQ(firstToken(lecture()), "here");
}

TEST_F(TwoWindows, OpenedAgainItIsSavedWithoutAQuestion) {
  ui_.app().dropFiles({lecture()});
  ui_.settle();
  ui_.app().dropFiles({lecture()});  // what is unsaved is left
  ui_.settle();
  ui_.typeSentence("After theirs");
  ui_.press(Key{'S'}, true);
  EXPECT_FALSE(ui_.window("file dialog"));
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

TEST_F(SessionWindow, ASessionOfAModelIsNamedAfterIt) {
  const auto named = [&](const char* name) {
    ui_.press(Key{'S'}, true, true);
    const bool found = ui_.shows(name);
    ui_.press(Key::escape);
    return found;
  };
  EXPECT_TRUE(named("original-transformer")) << ui_.screen().all();
  ui_.view().selection.page = kModelPage;
  ui_.view().model.place.folder = "headscope:induction";
  for (int i = 0; i < 4; ++i) {
    ui_.frame();
    ui_.settle();
  }
  EXPECT_TRUE(named("headscope-induction")) << ui_.screen().all();
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
  ui_.click("Save", "file dialog");
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
  EXPECT_FALSE(ui_.window("file dialog"));
  EXPECT_EQ(ui_.document().input->tokens[0][0], "From");
}

TEST_F(SessionWindow, AWarningLeavesTheButtonUnderTheMouse) {
  formats::saveSession(lecture(), {textDocument("From a file"), "{}", {}, {}});
  saveAs(folder_ / "other");
  ui_.typeSentence("Not saved yet");
  ui_.press(Key{'O'}, true);
  ui_.click("lecture.headscope.json", "found");
  const ImVec2 button = ui_.at("Open", "file dialog");
  ui_.clickAt(button);
  EXPECT_TRUE(ui_.shows("open again to discard the changes", "file dialog"));
  EXPECT_EQ(ui_.at("Open", "file dialog").y, button.y);
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
  EXPECT_FALSE(ui_.window("file dialog"));
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
  ui_.click("Save", "file dialog");
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

/// Every session that is opened adds a file to compare with. Files of sessions that no state of the
/// history belongs to any more are dropped.
TEST(SessionStore, ForgetsTheFilesOfSessionsThatTheHistoryHasDropped) {
  const DocumentPtr document = textDocument("first");
  formats::Session session{document, "{}", {}, {}};
  session.content = formats::FileContent{1};
  Scheduler scheduler;
  SessionStore store(scheduler, {document, {}, {}, {}});
  History history(document, kTestBudget);
  for (int i = 0; i < 20; ++i) {
    history.setMark(store.opened("lecture" + std::to_string(i) + ".headscope.json", session));
    store.follow(history);
  }
  EXPECT_EQ(store.knownFiles(), 1U);  // the shown session's
}

}  // namespace
}  // namespace headscope::ui
