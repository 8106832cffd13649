// The desktop's own file dialog: a program stands in for zenity and kdialog, and prints what they
// print.
#include "core/platform/desktop_dialog.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "../../core/test_files.h"
#include "../app_driver.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

constexpr const char* kButton = "The desktop's dialog …";

class DesktopDialogTest : public testing::Test {
 protected:
  DesktopDialogTest() { ::setenv("PATH", (folder_ / "bin").c_str(), 1); }
  ~DesktopDialogTest() override { ::setenv("PATH", before_.c_str(), 1); }
  DesktopDialogTest(const DesktopDialogTest&) = delete;
  DesktopDialogTest& operator=(const DesktopDialogTest&) = delete;

  /// Installs a program that keeps its arguments in the file "arguments" and then runs `command`.
  void install(const std::string& name, const std::string& command) {
    fs::create_directories(folder_ / "bin");
    const std::string arguments = (folder_ / "arguments").string();
    const fs::path program = folder_.file(
        "bin/" + name, "#!/bin/sh\necho \"$@\" > '" + arguments + "'\n" + command + "\n");
    fs::permissions(program, fs::perms::owner_all);
  }
  /// Draws frames until the program has ended and its answer was taken.
  void awaitAnswer() {
    ui_.settle();
    while (!fs::exists(folder_ / "arguments")) std::this_thread::yield();
    for (int frame = 0;
         frame < 10'000 && ui_.window("file dialog") && !ui_.shows("There is no", "file dialog");
         ++frame) {
      ui_.settle();
    }
  }
  std::string arguments() const { return readAll(folder_ / "arguments"); }

  TempFolder folder_;
  std::string before_ = std::getenv("PATH");
  AppDriver ui_;
};

TEST_F(DesktopDialogTest, IsNotOfferedWhereThereIsNone) {
  ui_.press(Key{'O'}, true);
  EXPECT_TRUE(ui_.window("file dialog"));
  EXPECT_FALSE(ui_.shows(kButton, "file dialog"));
}

TEST_F(DesktopDialogTest, OpensWhatIsChosen) {
  const fs::path series = folder_.file("series ü.csv", "a\n1\n2\n5\n");
  install("zenity", "echo '" + series.string() + "'");
  ui_.press(Key{'O'}, true);
  ui_.click(kButton, "file dialog");
  awaitAnswer();
  EXPECT_FALSE(ui_.window("file dialog"));
  EXPECT_EQ(ui_.config().seqLen, 3);
  EXPECT_NE(arguments().find("--file-selection --title=Open --filename="), std::string::npos);
}

TEST_F(DesktopDialogTest, OpensTheModelWhoseConfigurationIsChosen) {
  fs::create_directories(folder_ / "model");
  install("kdialog", "echo '" + folder_.file("model/config.json", "{}").string() + "'");
  ui_.press(Key{'O'}, true);
  ui_.click(kButton, "file dialog");
  awaitAnswer();
  EXPECT_FALSE(ui_.window("file dialog"));
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_NE(arguments().find("--getopenfilename"), std::string::npos);
}

TEST_F(DesktopDialogTest, SavesWhereItSays) {
  install("zenity", "echo '" + (folder_ / "kept").string() + "'");
  ui_.press(Key{'S'}, true);
  ui_.click(kButton, "file dialog");
  awaitAnswer();
  EXPECT_FALSE(ui_.window("file dialog"));
  EXPECT_TRUE(fs::exists(folder_ / "kept.headscope.json"));
  EXPECT_NE(arguments().find("--save"), std::string::npos);
}

TEST_F(DesktopDialogTest, CancelledLeavesTheOwnDialogOpen) {
  install("zenity", "exit 1");
  ui_.press(Key{'O'}, true);
  ui_.click(kButton, "file dialog");
  ui_.settle();
  EXPECT_TRUE(ui_.window("file dialog"));
  EXPECT_FALSE(ui_.shows("cannot be opened", "file dialog"));
}

}  // namespace
}  // namespace headscope::ui
