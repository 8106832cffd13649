// Translations: tables of texts, and the template that lists every text of the code.
#include "core/base/translation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

std::string problemOf(const std::string& json) {
  try {
    readTranslations(json, "de.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(Translation, ShowsTheTablesTextAndEnglishWhereItHasNone) {
  useTranslations(readTranslations(
      R"({"language": "Deutsch", "texts": {"head {} of {}": "Kopf {} von {}", "Undo": "",
          "Redo": "Wiederholen"}})",
      "de.json"));
  EXPECT_STREQ(tr("Redo"), "Wiederholen");
  EXPECT_STREQ(tr("Undo"), "Undo");  // not translated yet
  EXPECT_STREQ(tr("Export"), "Export");
  EXPECT_EQ(trFormat("head {} of {}", 2, 8), "Kopf 2 von 8");
  useTranslations({});
  EXPECT_STREQ(tr("Redo"), "Redo");
  EXPECT_EQ(trFormat("head {} of {}", 2, 8), "head 2 of 8");
}

TEST(Translation, RefusesPlaceholdersThatTheEnglishTextHasNot) {
  EXPECT_EQ(problemOf(R"({"language": "Deutsch", "texts": {"{:.2f} of {{1}}": "{:.2f} / {{1}}"}})"),
            "");
  EXPECT_EQ(problemOf(R"({"language": "Deutsch", "texts": {"head {}": "Kopf"}})"),
            "de.json: the translation “Kopf” must have the placeholders of “head {}”: copy each "
            "{…} as it is");
  EXPECT_NE(problemOf(R"({"language": "Deutsch", "texts": {"head": "Kopf {}"}})"), "");
  EXPECT_NE(problemOf(R"({"language": "Deutsch", "texts": {"{:.2f}": "{:.3f}"}})"), "");
  EXPECT_NE(problemOf(R"({"language": "Deutsch", "texts": {"head {}": "Kopf {"}})"), "");
  EXPECT_NE(problemOf(R"({"texts": {}})"), "");
}

/// The bytes of C++ string literals that follow one another.
std::string joined(const std::string& literals) {
  std::string text;
  bool inside = false;
  for (std::size_t at = 0; at < literals.size(); ++at) {
    const char c = literals[at];
    if (c == '"') {
      inside = !inside;
    } else if (inside && c == '\\') {
      const char escaped = literals[++at];
      text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    } else if (inside) {
      text += c;
    }
  }
  return text;
}

/// Adds the texts that a reader of a file of assets sees.
void addTextsOf(const Json& json, const std::string& name, std::set<std::string>& texts) {
  static const std::set<std::string> kShown{"title", "brief",   "about",   "text",   "ask",
                                            "hint",  "yet",     "done",    "reveal", "choice",
                                            "means", "speaker", "choices", "also"};
  if (const std::string* text = json.text()) {
    if (kShown.contains(name) && !text->empty()) texts.insert(*text);
  } else if (const Json::List* list = json.list()) {
    for (const Json& each : *list) addTextsOf(each, name, texts);
  } else if (const Json::Fields* fields = json.fields()) {
    for (const auto& [field, value] : *fields) {
      const bool input = field == "state" || field == "weights" || field == "input";
      if (!input) addTextsOf(value, field, texts);
    }
  }
}

std::set<std::string> textsOfTheInterface() {
  static const std::regex call(R"re(\btr(?:Format|Later)?\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+))re");
  std::set<std::string> texts;
  for (const char* folder : {"app", "core"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".cpp") && !name.ends_with(".h")) continue;
      if (name.starts_with("translation.")) continue;  // its examples
      std::ifstream in(entry.path());
      const std::string code{std::istreambuf_iterator<char>(in), {}};
      for (std::sregex_iterator found(code.begin(), code.end(), call), end; found != end; ++found) {
        texts.insert(joined((*found)[1].str()));
      }
    }
  }
  for (const Asset& asset : allAssets()) {
    const bool shown = asset.name.ends_with(".lesson.json") || asset.name == "glossary.json" ||
                       asset.name == "presets.json" || asset.name == "examples.json";
    if (shown) addTextsOf(parseJson(asset.data), "", texts);
  }
  return texts;
}

/// HEADSCOPE_WRITE_TEXTS=1 writes the template instead of comparing it.
TEST(Translation, TheTemplateListsEveryText) {
  const std::set<std::string> texts = textsOfTheInterface();
  EXPECT_GT(texts.size(), 1000U);
  Json::Fields lines;
  for (const std::string& text : texts) lines.emplace_back(text, "");
  const Json table{{"language", ""}, {"texts", Json::objectOf(std::move(lines))}};
  const fs::path path = fs::path(HEADSCOPE_SOURCE_DIR) / "assets/languages/template.json";
  if (std::getenv("HEADSCOPE_WRITE_TEXTS") != nullptr) {
    std::ofstream(path) << table.dump(1) << '\n';
  }
  EXPECT_TRUE(readText(path, 16 << 20, "template") == table.dump(1) + "\n")
      << "texts have changed: HEADSCOPE_WRITE_TEXTS=1 core_tests "
         "--gtest_filter='Translation.TheTemplate*' writes assets/languages/template.json";
}

}  // namespace
}  // namespace headscope::test
