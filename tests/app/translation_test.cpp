// The interface in another language: a table in which each letter of each text is an x shows which
// texts of a page do not pass through the table.
#include "core/base/translation.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../core/test_files.h"
#include "app/languages.h"
#include "app/view_json.h"
#include "app_driver.h"
#include "core/attention/config.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/document/document.h"
#include "core/editing/make_document.h"
#include "core/training/task.h"

namespace headscope::ui {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The text with x in place of each letter that is not part of a placeholder.
std::string crossedOut(const std::string& text) {
  std::string crossed = text;
  int depth = 0;
  for (char& c : crossed) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (depth == 0 && isLetter(c)) c = 'x';
  }
  return crossed;
}

/// Returns whether a word is a row of these: names that stand close on an axis are read as one.
bool isMadeOf(std::string_view word, const std::set<std::string>& names) {
  if (word.empty()) return true;
  return std::ranges::any_of(names, [&](const std::string& name) {
    return !name.empty() && word.starts_with(name) && isMadeOf(word.substr(name.size()), names);
  });
}

class InAnotherLanguage : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path =
        (std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "assets/languages/template.json").string();
    const Json json = parseJson(readText(path, 16 << 20, "template"), {.keys = 20'000});
    Json::Fields crossed;
    for (const auto& [english, none] : *json.find("texts")->fields()) {
      crossed.emplace_back(english, crossedOut(english));
    }
    const Json table{{"language", "x"}, {"texts", Json::objectOf(std::move(crossed))}};
    useTranslations(readTranslations(table.dump(), path));
  }
  void TearDown() override { useTranslations({}); }

  /// The words of the screen that are neither crossed out nor words of the sentence, but for those
  /// that are written so in every language.
  static std::set<std::string> englishWords(AppDriver& ui,
                                            const std::set<std::string>& everywhere = {}) {
    std::set<std::string> tokens = everywhere;
    for (const auto& item : ui.document().input->tokens) {
      for (const auto& token : item) tokens.insert(token);
    }
    std::set<std::string> found;
    const ScreenText screen = ui.screen();
    for (const TextRun& run : screen.runs()) {
      std::string word;
      for (const char c : run.text + " ") {
        if (isLetter(c)) {
          word += c;
          continue;
        }
        const bool crossed = word.find_first_not_of('x') == std::string::npos;
        if (word.size() > 3 && !crossed && !isMadeOf(word, tokens))
          found.insert(run.window + ": " + run.text);
        word.clear();
      }
    }
    return found;
  }
  /// The English words that a page shows, but for `names`.
  static std::set<std::string> englishOn(std::string_view page,
                                         const std::set<std::string>& names = {}) {
    ViewState view;
    view.selection.page = page;
    AppDriver ui(exampleDocument("fire"), 1600, 1000, view);
    ui.settle();
    return englishWords(ui, names);
  }
};

/// A session's fields and those that a problem names are read by programs in every language.
TEST_F(InAnotherLanguage, NamesOfFieldsStay) {
  const Json view = viewFields({});
  for (const auto& [name, value] : *view.fields()) EXPECT_NE(name, crossedOut(name));
  AttentionConfig config;
  config.numHeads = config.numKvHeads = 7;
  config.mask.window = -1;
  config.dropout.rate = 2.0;
  config.sinks = {1.0F};
  config.headGains = {1.0F};
  std::vector<std::string> fields;
  for (const Problem& problem : validate(config)) fields.push_back(problem.field);
  std::ranges::sort(fields);
  EXPECT_EQ(fields, (std::vector<std::string>{"dropout", "gains", "heads", "sinks", "window"}));
}

TEST_F(InAnotherLanguage, StageShowsNothingInEnglish) {
  EXPECT_EQ(englishOn(kStagePage), std::set<std::string>());
}

TEST_F(InAnotherLanguage, LessonsShowNothingInEnglish) {
  EXPECT_EQ(englishOn("learn"), std::set<std::string>());
}

/// Names of tensors, their formulas and PyTorch, which are one notation in all languages.
const std::set<std::string> kNotation{"concat",  "hheadh", "head",      "heads", "math",
                                      "model",   "MFLOP",  "output",    "proj",  "scores",
                                      "softmax", "sqrt",   "transpose", "view"};

TEST_F(InAnotherLanguage, HeadsShowsNothingInEnglish) {
  EXPECT_EQ(englishOn(kHeadsPage, kNotation), std::set<std::string>());
}

TEST_F(InAnotherLanguage, FlowShowsNothingInEnglish) {
  EXPECT_EQ(englishOn(kFlowPage, kNotation), std::set<std::string>());
}

/// The cards of the task have colours, and its relations names, by which files know them.
TEST_F(InAnotherLanguage, TrainShowsNothingInEnglish) {
  std::set<std::string> names{"MB",    "x",  // "73.5 MB xx xxxx" is read as one word
                              "black", "blue",   "brown",  "green", "model",
                              "red",   "orange", "violet", "yellow"};
  for (const auto& relation : training::taskFromString("cards").relations) {
    names.emplace(relation.name);
  }
  EXPECT_EQ(englishOn(kTrainPage, names), std::set<std::string>());
}

TEST_F(InAnotherLanguage, ModelShowsNothingInEnglish) {
  EXPECT_EQ(englishOn(kModelPage), std::set<std::string>());
}

class Languages : public testing::Test {
 protected:
  void TearDown() override { useTranslations({}); }
  void write(const std::string& name, const std::string& json) {
    std::filesystem::create_directories(folder_ / "languages");
    folder_.file("languages/" + name, json);
  }
  TempFolder folder_;
};

TEST_F(Languages, OwnTablesAreOfferedAndADamagedOneIsNamed) {
  EXPECT_EQ(useLanguage(folder_.path(), "").names, std::vector<std::string>{"English"});
  write("de.json", R"({"language": "Deutsch", "texts": {"View ▾": "Ansicht ▾"}})");
  write("fr.json", R"({"language": "Français", "texts": {"head {}": "tête"}})");
  const headscope::Languages found = useLanguage(folder_.path(), "Deutsch");
  EXPECT_EQ(found.names, (std::vector<std::string>{"English", "Deutsch"}));
  EXPECT_NE(found.problem.find("fr.json: the translation “tête”"), std::string::npos);
  EXPECT_STREQ(tr("View ▾"), "Ansicht ▾");
}

TEST_F(Languages, ViewOffersThemForTheNextStart) {
  AppDriver ui;
  ui.click("View ▾", "top bar");
  EXPECT_FALSE(ui.shows("Language", "Popup"));  // there is English alone
  ui.press(Key::escape);
  ui.restartWith(presetDocument("by-hand"), [](AppOptions& options) {
    options.languages = {"English", "Deutsch"};
  });
  ui.click("View ▾", "top bar");
  ui.click("Language", "Popup");
  ui.click("Deutsch");
  EXPECT_EQ(ui.view().preferences.language, "Deutsch");
  EXPECT_TRUE(ui.shows("Deutsch from the next start of headscope on"));
  ui.click("View ▾", "top bar");
  ui.click("Language", "Popup");
  ui.click("English");
  EXPECT_EQ(ui.view().preferences.language, "");
}

}  // namespace
}  // namespace headscope::ui
