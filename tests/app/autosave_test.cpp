// Autosaves: what a program has not saved is offered by the next one.
#include "app/autosave.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>
#include <vector>

#include "core/platform/files.h"
#include "core/platform/process.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

TEST_F(Autosave, FollowsEveryChangeAndIsRemovedByACleanExit) {
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
  EXPECT_TRUE(abandonedAutosaves(state_.path()).empty());
}

TEST_F(Autosave, OfTryingThingsOutGoesButChangesToASessionStayUntilTheNextStart) {
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Only a try");
  ui_.restart(presetDocument("by-hand"));
  EXPECT_TRUE(abandonedAutosaves(state_.path()).empty());
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  saveAs(lecture());
  ui_.typeSentence("Changed after saving");
  ui_.restartKeeping(state_.path(), presetDocument("by-hand"));
  EXPECT_TRUE(ui_.shows("'lecture' was not saved before headscope ended. Restore it as of"));
  ui_.press(Key{'R'}, true, true);
  EXPECT_EQ(ui_.document().input->tokens[0][0], "Changed");
}

TEST_F(Autosave, IsNotWrittenForAFileThatIsOnlyLookedAt) {
  const std::filesystem::path series = folder_ / "series.csv";
  std::ofstream(series) << "a,b\n1,2\n2,3\n4,1\n3,3\n";
  const auto look = [&] {
    ui_.app().dropFiles({series});
    ui_.settle();
    ui_.frame();
  };
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  look();
  ASSERT_EQ(ui_.config().seqLen, 4);
  EXPECT_TRUE(autosaves().empty()) << "nothing was changed";
  ui_.pressAlt(Key{'X'});
  EXPECT_EQ(autosaves().size(), 1U) << "a head was switched off";
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Not saved yet");
  look();
  EXPECT_EQ(autosaves().size(), 1U) << "the sentence was typed before";
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

/// A chain of the page Model belongs to no document, and is work all the same.
TEST_F(Autosave, AChainOnThePageModelIsRestored) {
  const auto calm = [&] {
    for (int i = 0; i < 4; ++i) {
      ui_.frame();
      ui_.settle();
    }
  };
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.view().selection.page = kModelPage;
  ui_.view().model.place = {(fs::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2").string(), "The cat sat"};
  ui_.view().model.prediction.reading = kWhyReading;
  ui_.view().model.prediction.other = 9;
  calm();
  EXPECT_TRUE(autosaves().empty()) << "no step was taken";
  ui_.view().model.prediction.why = "h1.1 s2";
  calm();
  ASSERT_EQ(autosaves().size(), 1U);
  const TempFolder left;
  leaveIn(left);
  saveAs(lecture());
  EXPECT_TRUE(autosaves().empty()) << "the file has the chain";
  ui_.view().model.prediction.why = "h1.1";
  calm();
  EXPECT_EQ(autosaves().size(), 1U);
  ui_.restartKeeping(state_.path(), presetDocument("by-hand"));
  EXPECT_FALSE(ui_.shows("not saved before headscope ended")) << "the program ended by itself";

  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  ui_.press(Key{'R'}, true, true);
  calm();
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_EQ(ui_.view().model.prediction.why, "h1.1 s2");
  EXPECT_EQ(ui_.view().model.prediction.other, 9);
  EXPECT_TRUE(ui_.shows("why it looks at", kModelPredictionCard)) << "its model and text as well";
}

/// A score that the user chose is the beginning of a chain; one that the page began with is not.
TEST_F(Autosave, AChosenScoreWithoutAStepIsRestored) {
  const auto open = [&](const char* folder, const char* text) {
    ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
    ui_.view().selection.page = kModelPage;
    ui_.view().model.place = {(fs::path(HEADSCOPE_TEST_DATA) / folder).string(), text};
    ui_.view().model.prediction.reading = kWhyReading;
  };
  const auto calm = [&] {
    for (int i = 0; i < 4; ++i) {
      ui_.frame();
      ui_.settle();
    }
  };
  open("image_models/dinov2", "");
  calm();
  EXPECT_FALSE(ui_.view().model.prediction.whyScore.empty());
  EXPECT_TRUE(autosaves().empty()) << "nobody chose it";
  open("tiny-gpt2", "The cat sat");
  calm();
  EXPECT_TRUE(autosaves().empty());
  ui_.click("a score", kModelPredictionCard);
  calm();
  const std::string score = ui_.view().model.prediction.whyScore;
  ASSERT_EQ(score.substr(0, 5), "h0.0:");
  ASSERT_EQ(autosaves().size(), 1U);
  const TempFolder left;
  leaveIn(left);
  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  ui_.press(Key{'R'}, true, true);
  calm();
  EXPECT_EQ(ui_.view().model.prediction.whyScore, score);
  EXPECT_TRUE(ui_.shows("score of layer 1, head 1", kModelPredictionCard));
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

TEST_F(Autosave, HalfWrittenFilesOfProgramsThatEndedGo) {
  const std::string name = "autosave-999999999.headscope.json";  // above the largest process id
  const auto dead = state_.file(name + ".tmp-999999999-1", "{");
  const auto running =
      state_.file(name + ".tmp-" + std::to_string(platform::processId()) + "-1", "{");
  EXPECT_TRUE(abandonedAutosaves(state_.path()).empty());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(running));
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
  EXPECT_TRUE(ui_.shows("has changed since it was opened or saved", "file dialog"));
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
  EXPECT_TRUE(abandonedAutosaves(left.path()).empty());
}

TEST_F(Autosave, ALockedFolderIsSaidAndTheOfferStays) {
  using platform::FileLock;
  ui_.restartKeeping(state_.path(), presetDocument("original-transformer"));
  ui_.typeSentence("Words in the crash");
  const TempFolder left;
  leaveIn(left);
  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  formats::saveSession(lecture(), {textDocument("From the lecture"), "{}", {}, {}});
  std::error_code why;
  auto locks = std::pair(FileLock::wait(left.path(), FileLock::Kind::exclusive, 0.0, why),
                         FileLock::wait(folder_.path(), FileLock::Kind::exclusive, 0.0, why));
  ui_.app().dropFiles({lecture()});
  ui_.frame();
  EXPECT_NE(ui_.app().message().find("lecture.headscope.json is locked"), std::string::npos);
  ui_.press(Key{'R'}, true, true);
  EXPECT_NE(ui_.app().message().find("is locked"), std::string::npos);
  EXPECT_TRUE(ui_.shows("not saved before headscope ended"));
  locks = {};
  ui_.press(Key{'R'}, true, true);
  ui_.settle();
  EXPECT_EQ(ui_.document().input->tokens[0][0], "Words");
  EXPECT_FALSE(ui_.shows("not saved before headscope ended"));
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

}  // namespace
}  // namespace headscope::ui
