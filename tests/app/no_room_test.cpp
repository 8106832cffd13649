// No room to write while the window is open: it is said, the window goes on, and the file of before
// stays.
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>

#include "../core/support/limits.h"
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
  }
  ui_.typeSentence("The last words");
  EXPECT_EQ(formats::loadSession(autosaves()[0], kTestBudget).document->input->tokens[0][1],
            "last");
}

TEST_F(NoRoom, AnAutosaveInAReadOnlyFolderIsSaid) {
  const ReadOnlyFolder readOnly(state_.path());
  ui_.restartKeeping(state_.path(), textDocument("The first words"));
  ui_.frame();
  EXPECT_TRUE(says("cannot be kept in " + state_.path().string())) << message();
  ui_.typeSentence("The second words");
  EXPECT_EQ(ui_.document().input->tokens[0][1], "second");
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

/// What a window does whose context is lost, or whose memory has run out.
TEST_F(NoRoom, AnExceptionThatEndsTheProgramLeavesItsAutosave) {
  try {
    ui_.restartKeeping(state_.path(), textDocument("The first words"));
    ui_.typeSentence("Not saved yet");
    ASSERT_EQ(autosaves().size(), 1U);
    AppOptions options;
    options.document = ui_.app().document();
    options.stateFolder = state_.path();
    App program(options);
    program.apply(SetTemperature{0.5});
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
