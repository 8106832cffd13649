// No room to write while the window is open: the window reports it and stays open, and the previous
// file stays.
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../core/support/limits.h"
#include "app/autosave.h"
#include "app/session_store.h"
#include "core/attention/switches.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;
using test::FileSizeLimit;
using test::ReadOnlyFolder;

class NoRoom : public Autosave {
 protected:
  std::string message() { return ui_.app().message(); }
  bool says(const std::string& part) { return message().find(part) != std::string::npos; }
  /// The tooltip of a text, without spaces, after no more frames than the program asks for.
  std::string tipOf(std::string_view text) {
    ui_.hover(ui_.at(text));
    return ui_.screen().all("##Tooltip");
  }
  std::ptrdiff_t filesIn(const fs::path& folder) const {
    return std::distance(fs::directory_iterator(folder), {});
  }
};

TEST_F(NoRoom, ASessionThatDoesNotFitStaysUnsaved) {
  saveAs(lecture());
  const std::string old = readAll(lecture());
  ui_.typeSentence("Not saved yet");
  {
    const FileSizeLimit limit(64);
    ui_.press(Key{'S'}, true);
    EXPECT_TRUE(says("not saved: cannot write")) << message();
    EXPECT_TRUE(says("File too large")) << message();
  }
  EXPECT_EQ(readAll(lecture()), old);
  EXPECT_EQ(filesIn(folder_.path()), 2);
  EXPECT_EQ(ui_.app().title().rfind("• lecture", 0), 0U) << ui_.app().title();
  ui_.press(Key{'S'}, true);
  EXPECT_TRUE(says("saved ")) << message();
  EXPECT_EQ(formats::loadSession(lecture(), kTestBudget).document->input->tokens[0][0], "Not");
}

TEST_F(NoRoom, AnAutosaveThatDoesNotFitIsSaidAndMadeUpFor) {
  ui_.restartKeeping(state_.path(), textDocument("The first words"));
  ui_.typeSentence("The second words");
  ASSERT_EQ(autosaves().size(), 1U);
  const std::string old = readAll(autosaves()[0]);
  {
    const FileSizeLimit limit(64);
    ui_.typeSentence("Some third words");
    EXPECT_TRUE(says("not autosaved: cannot write")) << message();
    EXPECT_EQ(readAll(autosaves()[0]), old);
    // the next message replaces this one, the mark stays
    ui_.press(Key{'7'});
    EXPECT_TRUE(says("scene 7 is not set")) << message();
    EXPECT_TRUE(ui_.shows("autosave fails"));
    const std::string why = tipOf("autosave fails");
    EXPECT_NE(why.find("Filetoolarge"), std::string::npos) << why;
    EXPECT_NE(why.find("Saveoften(ctrl+s)"), std::string::npos) << why;
  }
  ui_.typeSentence("The last words");
  EXPECT_FALSE(ui_.shows("autosave fails"));
  EXPECT_EQ(formats::loadSession(autosaves()[0], kTestBudget).document->input->tokens[0][1],
            "last");
}

TEST_F(NoRoom, AnAutosaveInAReadOnlyFolderIsSaid) {
  const ReadOnlyFolder readOnly(state_.path());
  ui_.restartKeeping(state_.path(), textDocument("The first words"));
  ui_.frame();
  EXPECT_TRUE(says("cannot be stored in " + state_.path().string())) << message();
  ui_.typeSentence("The second words");
  EXPECT_EQ(ui_.document().input->tokens[0][1], "second");
  EXPECT_FALSE(says("cannot be stored in")) << message();
  EXPECT_TRUE(ui_.shows("autosave fails"));
}

TEST_F(NoRoom, WithoutAFolderForAutosavesAMarkSaysSo) {
  EXPECT_FALSE(ui_.shows("autosave fails"));  // autosaves are off, as for pictures
  ui_.restartWith(textDocument("The first words"),
                  [](AppOptions& o) { o.noStateFolder = noStateFolder(); });
  ui_.typeSentence("The second words");
  ASSERT_TRUE(ui_.shows("autosave fails"));
  const std::string why = tipOf("autosave fails");
  EXPECT_NE(why.find("XDG_STATE_HOMEnamesnofolder"), std::string::npos) << why;
}

/// Autosaving resumes once the disk has room, even without a change of the document.
TEST_F(NoRoom, AutosavingIsTriedAgain) {
  const DocumentPtr document = textDocument("The first words");
  SessionStore::Start start{document, {}, {}, state_.path()};
  start.retrySeconds = 0.0;
  Scheduler scheduler;
  SessionStore store(scheduler, std::move(start));
  const DocumentPtr changed = textDocument("The second words");
  {
    const FileSizeLimit limit(64);
    store.update(changed, "{}", true);
    store.finish();
    store.update(changed, "{}", true);
    EXPECT_NE(store.whyNotAutosaved().find("File too large"), std::string::npos);
    store.finish();  // the retry that update() has requested fails within the limit as well
  }
  store.update(changed, "{}", true);
  store.finish();
  store.update(changed, "{}", true);
  EXPECT_EQ(store.whyNotAutosaved(), "");
  EXPECT_EQ(autosaves().size(), 1U);
}

TEST_F(NoRoom, ATraceThatDoesNotFitLeavesTheOldOne) {
  const fs::path trace = fs::path("trace-of-ATraceThatDoesNotFitLeavesTheOldOne.safetensors");
  ui_.press(Key{'T'}, true, true);
  ASSERT_TRUE(says("saved every tensor")) << message();
  const std::string old = readAll(trace);
  const auto files = filesIn(".");
  ui_.typeSentence("Quite other words");
  {
    const FileSizeLimit limit(4096);
    ui_.press(Key{'T'}, true, true);
    EXPECT_TRUE(says("cannot write")) << message();
  }
  EXPECT_EQ(readAll(trace), old);
  EXPECT_EQ(filesIn("."), files);
  fs::remove(trace);
}

/// The window takes this path when its graphics context is lost or memory runs out.
TEST_F(NoRoom, AnExceptionThatEndsTheProgramLeavesItsAutosave) {
  try {
    ui_.restartKeeping(state_.path(), textDocument("The first words"));
    ui_.typeSentence("Not saved yet");
    ASSERT_EQ(autosaves().size(), 1U);
    AppOptions options;
    options.document = ui_.app().document();
    options.stateFolder = state_.path();
    App program(options);
    program.apply(SetSwitch{&Switches::temperature, 0.5});
    ui_.host().frame(program);
    program.finish();
    ASSERT_EQ(autosaves().size(), 2U);
    throw std::runtime_error("the end");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(autosaves().size(), 2U);
  ui_.restart(textDocument("Another program"));  // a clean exit
  EXPECT_EQ(autosaves().size(), 1U);
}

}  // namespace
}  // namespace headscope::ui
