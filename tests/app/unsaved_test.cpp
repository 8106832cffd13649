// Unsaved changes are dropped only on confirmation, and the open session follows the history.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "app/autosave.h"
#include "app/session_store.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

std::string firstWord(const fs::path& session) {
  return formats::loadSession(session, kTestBudget).document->input->tokens[0][0];
}

class Unsaved : public Autosave {
 protected:
  void SetUp() override {
    formats::saveSession(other_, {textDocument("From a file"), "{}", {}, {}});
    ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
    saveAs(lecture());
    ui_.typeSentence("Edited here");
  }
  void drop(const fs::path& path) {
    ui_.app().dropFiles({path});
    ui_.settle();
  }
  /// Drops the unsaved changes for the other session.
  void openOther() {
    drop(other_);
    drop(other_);
  }
  std::string word() { return ui_.document().input->tokens[0][0]; }

  const fs::path other_ = folder_ / "other.headscope.json";
};

TEST_F(Unsaved, EditsAreLeftForAnotherSessionOnlyWhenAskedTwice) {
  drop(other_);
  EXPECT_EQ(word(), "Edited");
  EXPECT_TRUE(ui_.shows("your changes of 'lecture' are not saved yet"));
  drop(folder_ / "third.headscope.json");  // a second request
  drop(other_);
  EXPECT_EQ(word(), "Edited");
  EXPECT_EQ(firstWord(autosaves().at(0)), "Edited");
  drop(other_);
  EXPECT_EQ(word(), "From");
}

TEST_F(Unsaved, UndoingAnOpeningBringsItsSessionBack) {
  ui_.press(Key{'3'}, true);
  openOther();
  EXPECT_EQ(ui_.app().title(), "other · headscope");
  ui_.press(Key{'3'});
  EXPECT_TRUE(ui_.shows("scene 3 is not set"));
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(word(), "Edited");
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");
  EXPECT_EQ(formats::originOf(autosaves().at(0)), lecture().string());
  ui_.press(Key{'S'}, true);
  EXPECT_EQ(firstWord(lecture()), "Edited");
  EXPECT_EQ(formats::loadSession(lecture(), kTestBudget).scenes.size(), 1U);
  EXPECT_EQ(firstWord(other_), "From");
  ui_.press(Key{'Y'}, true);
  EXPECT_EQ(ui_.app().title(), "other · headscope");
}

TEST_F(Unsaved, ASessionWhosePassIsRefusedIsNotTheOneThatIsOpen) {
  Document broken = *textDocument("a b c");
  for (Tensor* bias : {&broken.weights.bQ, &broken.weights.bK}) {
    *bias = bias->clone();
    std::fill_n(bias->mutableData(), bias->size(), 1e30F);
  }
  formats::saveSession(other_, {std::make_shared<const Document>(broken), "{}", {}, {}});
  openOther();
  EXPECT_NE(ui_.app().message().find("undone"), std::string::npos) << ui_.app().message();
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");
  ui_.press(Key{'S'}, true);
  EXPECT_EQ(firstWord(lecture()), "Edited");
}

TEST_F(Unsaved, EditsStayAutosavedWhileASceneIsShown) {
  ui_.press(Key{'1'}, true);
  ui_.press(Key{'S'}, true);
  ui_.typeSentence("Only here");
  ui_.press(Key{'1'});
  EXPECT_EQ(word(), "Edited");
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");
  ASSERT_EQ(autosaves().size(), 1U);
  EXPECT_EQ(firstWord(autosaves()[0]), "Only");
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(word(), "Only");
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
  EXPECT_TRUE(autosaves().empty());
  ui_.press(Key{'Y'}, true);
  ui_.press(Key{'1'});
  ui_.press(Key{'S'}, true);
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
  EXPECT_TRUE(autosaves().empty());
}

class Recovery : public Unsaved {
 protected:
  void SetUp() override {
    for (const char* name : {"1", "2"}) {
      const fs::path path = left_ / (std::string("autosave-") + name + ".headscope.json");
      formats::saveSession(path, {textDocument(std::string("Crash ") + name), "{}", {}, {}});
    }
    ui_.restartKeeping(left_.path(), presetDocument("by-hand"));
  }
  std::size_t offered() const { return abandonedAutosaves(left_.path()).size(); }

  const TempFolder left_;
};

TEST_F(Recovery, LeavesWhatIsUnsavedOnlyWhenAskedTwice) {
  const auto number = [&] { return ui_.document().input->tokens[0][1]; };
  ui_.press(Key{'R'}, true, true);
  ASSERT_EQ(word(), "Crash");
  const std::string first = number();
  ui_.press(Key{'R'}, true, true);
  EXPECT_EQ(number(), first);
  EXPECT_TRUE(ui_.shows("your changes are not saved yet", "recovery"));
  ui_.press(Key{'R'}, true, true);
  EXPECT_NE(number(), first);
  ui_.press(Key{'Z'}, true);
  EXPECT_EQ(number(), first);
}

TEST_F(Recovery, OneKeyDiscardsNothing) {
  ui_.press(Key{'X'}, true, true);
  EXPECT_EQ(offered(), 2U);
  EXPECT_TRUE(ui_.shows("Discarding cannot be undone", "recovery"));
  ui_.press(Key{'X'}, true, true);
  EXPECT_EQ(offered(), 1U);
  ui_.press(Key{'X'}, true, true);  // for the next session
  EXPECT_EQ(offered(), 1U);
}

TEST_F(Recovery, LeavesItsLetterToTheTools) {
  ui_.view().selection.tool = "temperature";
  const bool scale = ui_.config().switches->scale;
  ui_.pressAlt(Key{'R'});
  EXPECT_NE(ui_.config().switches->scale, scale);
  EXPECT_EQ(offered(), 2U);
}

TEST_F(Unsaved, ASceneToStartWithLeavesTheSessionsOwnDocument) {
  AppOptions options;
  options.document = textDocument("The session");
  const DocumentPtr scene =
      apply(*options.document, SetSwitch{&Switches::temperature, 2.0}, kTestBudget).document;
  options.scenes = {{3, {""}, scene, "{}"}};
  options.sessionPath = lecture();
  options.scene = 3;
  options.memoryBudget = kTestBudget;
  options.threads = 1;
  App program(options);
  program.finish();
  ui_.host().frames(program, 3);
  EXPECT_EQ(program.document(), scene);
  EXPECT_EQ(program.trace()->documentPtr(), scene);
  EXPECT_EQ(program.title(), "lecture · headscope");
  ui_.host().press(program, Key{'Z'}, true);
  EXPECT_EQ(program.document(), options.document);
}

TEST_F(Unsaved, AViewComesBackWithItsPlaceOnTheTimeline) {
  ui_.view().selection.playTime = 3.0;
  ui_.view().selection.playQuery = 1;
  ui_.settle();
  const StepId step = ui_.view().selection.step;
  ui_.press(Key{'1'}, true);
  ui_.view().selection.playTime = 40.0;
  ui_.view().selection.playQuery = 0;
  ui_.typeSentence("Quite another sentence of more words");
  ui_.press(Key{'1'});
  EXPECT_EQ(ui_.view().selection.playTime, 3.0);
  EXPECT_EQ(ui_.view().selection.playQuery, 1);
  EXPECT_EQ(ui_.view().selection.step, step);
}

TEST(SessionStore, ASavingThatFailsBelongsToItsOwnSession) {
  const TempFolder folder;
  const DocumentPtr mine = textDocument("a b c", 16, 2);
  Scheduler scheduler;
  SessionStore store(scheduler, {mine, {}, {}, {}});
  store.save(folder / "none" / "a.headscope.json", mine, "{}");
  store.opened(folder / "b.headscope.json", {textDocument("d", 16, 2), "{}", {}, {}});
  store.finish();
  const auto news = store.update(mine, "{}", true);
  ASSERT_TRUE(news);
  EXPECT_TRUE(news->isError);
  EXPECT_EQ(store.name(), "b");
}

}  // namespace
}  // namespace headscope::ui
