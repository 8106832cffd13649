#include "core/input/lexicon.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include "core/base/asset_json.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/input/input.h"

namespace headscope {
namespace {

constexpr std::array<std::string_view, kWordClasses> kNames{
    "determiner", "noun",        "verb",        "copula",   "adjective",   "adverb",
    "pronoun",    "preposition", "conjunction", "negation", "punctuation", "other"};

WordClass classFromName(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<WordClass>(i);
  }
  throw UserError(fmt::format("the lexicon has no word class \"{}\"; use one of its own", name));
}

bool isWord(const std::string& token) {
  const CodePoint first = token.empty() ? CodePoint{} : codePointAt(token, 0);
  if (!first.valid()) return false;
  const auto category = utf8proc_category(first.value);
  return category < UTF8PROC_CATEGORY_PC || category > UTF8PROC_CATEGORY_SO;
}

}  // namespace

std::string_view toString(WordClass wordClass) {
  return kNames[static_cast<std::size_t>(wordClass)];
}

Lexicon::Lexicon(std::string_view json) {
  readAsset<UserError>(json, "lexicon.json", [this](const JsonField& file) {
    for (const auto& [language, classes] : file.fields()) {
      for (const auto& [name, list] : classes.fields()) {
        const WordClass wordClass = classFromName(name);
        const std::vector<std::string> words = list.texts();
        if (language == "English, other uses") {
          for (const std::string& word : words) others_[word].push_back(wordClass);
          continue;
        }
        for (const std::string& word : words) classes_.emplace(word, wordClass);
        if (language != "English") continue;
        english_[static_cast<std::size_t>(wordClass)] = words;
        isEnglish_.insert(words.begin(), words.end());
      }
    }
  });
}

WordClass Lexicon::classOf(const std::string& token) const {
  if (const auto found = classes_.find(lowerCased(token)); found != classes_.end()) {
    return found->second;
  }
  return isWord(token) ? WordClass::other : WordClass::punctuation;
}

const std::vector<WordClass>& Lexicon::otherClasses(const std::string& word) const {
  static const std::vector<WordClass> none;
  const auto found = others_.find(word);
  return found == others_.end() ? none : found->second;
}

const Lexicon& lexicon() {
  static const Lexicon instance(asset("lexicon.json"));
  return instance;
}

}  // namespace headscope
