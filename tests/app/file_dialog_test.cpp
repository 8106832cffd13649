// The dialog that opens files and folders: the browser of folders, and what cannot be opened.
#include "app/ui/file_dialog.h"

#include "../core/test_files.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

class FileDialogTest : public testing::Test {
 protected:
  FileDialogTest() { ui_.press(Key{'O'}, true); }

  void type(const std::filesystem::path& path) {
    ui_.press(Key{'A'}, true);
    ui_.type(path.string());
    ui_.press(Key::enter);
  }

  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(FileDialogTest, StaysOpenWithTheReasonWhereAPathCannotBeUsed) {
  type(folder_ / "nowhere.csv");
  EXPECT_TRUE(ui_.shows("There is no " + (folder_ / "nowhere.csv").string(), "file dialog"));
  type(folder_.file("notes.md", "words"));
  EXPECT_TRUE(ui_.shows("notes.md cannot be opened: headscope opens sessions", "file dialog"));
  EXPECT_TRUE(ui_.window("file dialog"));
  type(folder_.file("series.csv", "a\n1\n2\n5\n"));
  EXPECT_FALSE(ui_.window("file dialog"));
  EXPECT_EQ(ui_.config().seqLen, 3);
}

TEST_F(FileDialogTest, EntersFoldersAndMarksModels) {
  std::filesystem::create_directories(folder_ / "inner" / "deep");
  std::filesystem::create_directories(folder_ / "tiny");
  folder_.file("tiny/config.json", "{}");
  folder_.file("inner/series.csv", "a\n1\n2\n5\n");
  type(folder_.path());
  EXPECT_TRUE(ui_.shows("inner/", "found"));
  EXPECT_TRUE(ui_.shows("tiny/  ·  a model", "found"));
  const ImVec2 inner = ui_.at("inner/", "found");
  ui_.host().click(ui_.app(), inner);
  ui_.host().click(ui_.app(), inner);  // a double click enters
  ui_.settle();
  EXPECT_TRUE(ui_.shows("deep/", "found"));
  ui_.click("series.csv", "found");
  ui_.click("Open", "file dialog");
  EXPECT_EQ(ui_.config().seqLen, 3);
}

TEST_F(FileDialogTest, NamesAreDrawnInEveryScript) {
  const std::string name = "a\xEF\xBF\xBE.csv";  // U+FFFE, which no typeface has
  folder_.file(name, "a\n1\n2\n5\n");
  type(folder_.path());
  EXPECT_TRUE(ui_.shows("aU+FFFE.csv", "found"));
  ui_.click("aU+FFFE.csv", "found");
  ui_.click("Open", "file dialog");
  EXPECT_EQ(ui_.config().seqLen, 3);
}

TEST_F(FileDialogTest, AFolderThatIsNoModelIsShownAndAModelIsOpened) {
  type(folder_.path());
  EXPECT_TRUE(ui_.shows("Nothing that headscope opens is in this folder", "found"));
  std::filesystem::create_directories(folder_ / "broken");
  folder_.file("broken/config.json", "{}");
  type(folder_ / "broken");
  EXPECT_EQ(ui_.view().selection.page, kModelPage);
  EXPECT_FALSE(ui_.window("file dialog"));
}

TEST(FolderListing, HasFoldersFirstAndNothingThatIsHidden) {
  const TempFolder folder;
  for (const char* name : {"b.csv", "a.lesson.json", ".hidden.csv", "c.md"}) folder.file(name, "");
  std::filesystem::create_directories(folder / "z");
  std::vector<std::string> names;
  for (const auto& item : listFolder(folder.path()).items) names.push_back(item.name);
  EXPECT_EQ(names, (std::vector<std::string>{"z", "a.lesson.json", "b.csv"}));
  EXPECT_TRUE(listFolder(folder / "nowhere").items.empty());
}

}  // namespace
}  // namespace headscope::ui
