// Help: every key and every term is listed, and terms are explained where they are used.
#include "app/ui/help.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "app/ui/step_looks.h"
#include "app/ui/tools/tools.h"
#include "app/ui/widgets.h"
#include "app_driver.h"
#include "core/attention/steps/step.h"

namespace headscope::ui {
namespace {

constexpr const char* kHelp = "help";

TEST(Help, OpensAndClosesByKeysButtonAndClick) {
  AppDriver ui;
  ui.type("?");
  EXPECT_TRUE(ui.window(kHelp));
  ui.type("?");
  EXPECT_FALSE(ui.window(kHelp));
  ui.press(Key::f1);
  EXPECT_TRUE(ui.window(kHelp));
  ui.press(Key::escape);
  EXPECT_FALSE(ui.window(kHelp));
  ui.click("?", "top bar");
  ASSERT_TRUE(ui.window(kHelp));
  ui.clickAt(middle(*ui.window(kHelp)));
  EXPECT_TRUE(ui.window(kHelp)) << "a click on it does not close it";
  ui.clickAt({20, 20});
  EXPECT_FALSE(ui.window(kHelp));
}

TEST(Help, AQuestionMarkThatIsTypedIsText) {
  AppDriver ui;
  ui.press(Key{'E'}, true);
  ui.type("?");
  EXPECT_FALSE(ui.window(kHelp));
}

TEST(Help, ListsEveryShortcutAndEveryTool) {
  AppDriver ui;
  ui.type("?");
  EXPECT_TRUE(ui.shows("What is this?", kHelp));
  ui.press(Key::right);
  std::set<std::string> listed;
  const Cards tools = makeTools();
  for (const ShortcutGroup& group : shortcutGroups(tools)) {
    EXPECT_TRUE(ui.shows(group.title, kHelp)) << group.title;
    for (const Shortcut& shortcut : group.shortcuts) {
      EXPECT_TRUE(ui.shows(shortcut.keys, kHelp)) << shortcut.keys;
      EXPECT_TRUE(ui.shows(shortcut.does, kHelp)) << shortcut.does;
      EXPECT_TRUE(listed.insert(group.title + ": " + shortcut.keys).second) << shortcut.keys;
    }
  }
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    EXPECT_EQ(listed.count(std::string("Tools: ") + letter),
              tools.ofKey(letter) != nullptr ? 1U : 0U)
        << letter;
  }
}

/// Keys with an immediate effect do what the list says.
TEST(Help, WhatItSaysOfKeysIsTrue) {
  AppDriver ui;
  ui.press(Key::end);
  EXPECT_EQ(ui.view().selection.step, StepId::output);
  ui.press(Key::home);
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  ui.press(Key::right);
  EXPECT_EQ(ui.view().selection.step, StepId::split);
  ui.press(Key::left);
  EXPECT_EQ(ui.view().selection.step, StepId::project);
  ui.press(Key::space);
  EXPECT_TRUE(ui.view().frame.playing);
  const Cards tools = makeTools();
  for (const auto& tool : tools.all()) {
    ui.press(static_cast<Key>(tool->text().key));
    EXPECT_EQ(ui.view().selection.tool, tool->text().id) << tool->text().title;
  }
}

TEST(Help, ItsLastPageHasEveryTerm) {
  AppDriver ui;
  ui.type("?");
  ui.press(Key::left);
  std::set<std::string> seen;
  for (int page = 0; page < 20; ++page) {
    for (const auto& entry : glossary()) {
      if (ui.shows(entry.about, kHelp)) seen.insert(entry.term);
    }
    ui.press(Key::pageDown);
  }
  EXPECT_EQ(seen.size(), glossary().size());
}

TEST(Help, FitsASmallWindowByScrolling) {
  ViewState view;
  view.preferences.scale = 2;
  AppDriver ui(presetDocument("original-transformer"), 800, 500, view);
  ui.type("?");
  ui.press(Key::right);
  const auto box = ui.window(kHelp);
  ASSERT_TRUE(box);
  EXPECT_GE(box->x0, 0);
  EXPECT_GE(box->y0, 0);
  EXPECT_LE(box->x1, 800);
  EXPECT_LE(box->y1, 500);
  EXPECT_FALSE(ui.screen().find("this list", kHelp));
  ui.press(Key::end);
  EXPECT_TRUE(ui.screen().find("this list", kHelp));
}

TEST(Glossary, EveryTermIsExplainedOnceInAShortSentenceOrTwo) {
  std::set<std::string> terms;
  for (const auto& entry : glossary()) {
    EXPECT_TRUE(terms.insert(entry.term).second) << entry.term;
    EXPECT_EQ(entry.about.back(), '.') << entry.term;
    EXPECT_LE(entry.about.size(), 190U) << entry.term;
  }
  EXPECT_THROW(aboutTerm("no such term"), std::out_of_range);
}

TEST(Glossary, EveryStepAndTensorHasItsTerm) {
  for (const Step* step : stepsOf({})) {
    EXPECT_FALSE(aboutTerm(lookOf(step->id()).term).empty());
  }
  int explained = 0;
  for (int i = 0; i < static_cast<int>(kTensorCount); ++i) {
    const std::string_view term = lookOf(static_cast<TensorId>(i)).term;
    if (!term.empty() && !aboutTerm(term).empty()) ++explained;
  }
  EXPECT_EQ(explained, 13);
}

class ExplainedLabel
    : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(ExplainedLabel, TellsItsTermWhereItStands) {
  const auto& [label, window, term] = GetParam();
  AppDriver ui;
  ui.hover(ui.at(label, window));
  for (int i = 0; i < 40; ++i) ui.frame();
  EXPECT_TRUE(ui.shows(aboutTerm(term), "##Tooltip")) << ui.screen().all("##Tooltip");
}

INSTANTIATE_TEST_SUITE_P(Labels, ExplainedLabel,
                         testing::Values(std::tuple{"d_model", "top bar", "d_model"},
                                         std::tuple{"heads", "top bar", "head"},
                                         std::tuple{"tokens", "top bar", "token"},
                                         std::tuple{"= 512 / 8", "top bar", "d_k"},
                                         std::tuple{"bias", "top bar", "bias"},
                                         std::tuple{"causal", "top bar", "causal"},
                                         std::tuple{"÷√", "top bar", "÷√d_k"},
                                         std::tuple{"Softmax", "steps", "softmax"},
                                         std::tuple{"Concat", "steps", "concat"},
                                         std::tuple{"Q", "flow", "query"},
                                         std::tuple{"after softmax", "inspector", "softmax"}));

}  // namespace
}  // namespace headscope::ui
