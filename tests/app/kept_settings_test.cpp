// Settings that are kept from one run to the next, and messages that leave the status bar.
#include "../core/test_files.h"
#include "app/host/monitor.h"
#include "app/settings.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

class SettingsTest : public testing::Test {
 protected:
  TempFolder folder_;
  AppDriver ui_;
};

TEST_F(SettingsTest, ThemeSizePageAndMapsAreKeptAndApplied) {
  ui_.restartKeeping(folder_.path(), presetDocument("original-transformer"));
  ui_.view().preferences.theme = ThemeKind::dark;
  ui_.view().preferences.scale = 1.5F;
  ui_.view().preferences.language = "Deutsch";
  ui_.view().preferences.animate = false;
  ui_.view().preferences.colorMaps = 1;
  ui_.view().selection.page = kHeadsPage;
  ui_.settle();
  const Settings kept = loadSettings(folder_.path());
  EXPECT_EQ(kept.page, kHeadsPage);
  ViewState view;
  applySettings(kept, view);
  EXPECT_EQ(view.preferences.theme, ThemeKind::dark);
  EXPECT_EQ(view.preferences.scale, 1.5F);
  EXPECT_EQ(view.preferences.language, "Deutsch");
  EXPECT_FALSE(view.preferences.animate);
  EXPECT_EQ(view.preferences.colorMaps, 1);
}

TEST_F(SettingsTest, ADamagedFileCountsAsNone) {
  for (const char* text : {"", "{", "[]", R"({"theme": 3})", R"({"scale": "large"})",
                           R"({"window": {"width": -1e99, "height": 2, "maximized": 1}})"}) {
    folder_.file("settings.json", text);
    EXPECT_EQ(loadSettings(folder_.path()), Settings()) << text;
  }
  folder_.file("settings.json", R"({"scale": 99, "of_a_newer_program": 1})");
  EXPECT_EQ(loadSettings(folder_.path()).scale, kMaxScale);
}

TEST_F(SettingsTest, WhatIsSavedIsReadAgain) {
  Settings settings;
  settings.theme = ThemeKind::dark;
  settings.scale = 2.0F;
  settings.language = "Deutsch";
  settings.monitorScale = 1.5F;
  settings.colorMaps = 2;
  settings.animate = false;
  settings.page = "train";
  settings.windowWidth = 1200;
  settings.windowHeight = 800;
  settings.maximized = true;
  for (int i = 0; i < 12; ++i) noteRecent(settings, folder_ / std::to_string(i));
  noteRecent(settings, folder_ / "5");  // moves to the front
  EXPECT_EQ(settings.recent.size(), kRecentFiles);
  EXPECT_EQ(settings.recent.front(), (folder_ / "5").string());
  EXPECT_EQ(std::ranges::count(settings.recent, (folder_ / "5").string()), 1);
  saveSettings(folder_.path(), settings);
  EXPECT_EQ(loadSettings(folder_.path()), settings);
}

TEST_F(SettingsTest, FilesThatWereOpenedAreTheRecentOnes) {
  ui_.restartKeeping(folder_.path(), presetDocument("original-transformer"));
  const TempFolder files;
  const auto series = files.file("two.csv", "a\n1\n2\n5\n");
  ui_.app().dropFiles({series, files / "nowhere.csv"});
  ui_.settle();
  EXPECT_EQ(loadSettings(folder_.path()).recent, std::vector<std::string>{series.string()});
  ui_.press(Key{'O'}, true);
  EXPECT_TRUE(ui_.shows("two.csv", "recent"));
}

TEST(Status, AMessageGoesAfterItsTimeAndARepeatedOneStartsAgain) {
  AppDriver ui;
  ui.press(Key{'7'});  // there is no such scene
  EXPECT_FALSE(ui.app().message().empty());
  const auto wait = [&](double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 60.0); ++i) ui.frame();
  };
  wait(15.0);
  EXPECT_FALSE(ui.app().message().empty());
  ui.press(Key{'7'});
  wait(15.0);
  EXPECT_FALSE(ui.app().message().empty());
  wait(15.0);
  EXPECT_TRUE(ui.app().message().empty());
}

TEST(Undo, ActsOnWhatThePageShows) {
  AppDriver ui;
  ui.pressAlt(Key{'X'});
  ASSERT_FALSE(ui.config().headGains.empty());
  for (const char* page : {kTrainPage, kLearnPage}) {
    ui.view().selection.page = page;
    ui.settle();
    ui.press(Key{'Z'}, true);
    EXPECT_FALSE(ui.config().headGains.empty()) << page;
    EXPECT_NE(ui.app().message().find("nothing to undo"), std::string::npos) << page;
  }
  ui.view().selection.page = kStagePage;
  ui.settle();
  ui.press(Key{'Z'}, true);
  EXPECT_TRUE(ui.config().headGains.empty());
}

TEST(Monitor, OneOfManyPixelsWithoutAScaleIsScaledByItsSize) {
  EXPECT_FLOAT_EQ(host::scaleFrom(1.0F, 3840, 2160), 2.0F);
  EXPECT_FLOAT_EQ(host::scaleFrom(1.0F, 2560, 1440), 1.0F);
  EXPECT_FLOAT_EQ(host::scaleFrom(1.25F, 3840, 2160), 1.25F);
  EXPECT_FLOAT_EQ(host::scaleFrom(1.0F, 1920, 1080), 1.0F);
}

}  // namespace
}  // namespace headscope::ui
