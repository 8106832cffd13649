// Lexicon: the word class of a token by itself, from the list of common words in
// assets/lexicon.json. tagger.h gives the classes of the words of a text.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace headscope {

enum class WordClass {
  determiner,
  noun,
  verb,
  copula,
  adjective,
  adverb,
  pronoun,
  preposition,
  conjunction,
  negation,
  punctuation,
  other,
};
inline constexpr std::size_t kWordClasses = 12;

/// "noun", "verb", …
std::string_view toString(WordClass wordClass);

class Lexicon {
 public:
  /// Reads the text of a lexicon file: the words of each class, lower-cased, by language. A word
  /// has one class: its most frequent class in English, or its German class where English does not
  /// have the word. "English, other uses" adds classes to English words. Throws UserError.
  explicit Lexicon(std::string_view json);

  /// The English words of a class, in the file's order.
  const std::vector<std::string>& english(WordClass wordClass) const {
    return english_[static_cast<std::size_t>(wordClass)];
  }

  /// The class of a token. A mark or symbol is punctuation; a word that is not in the list is
  /// `other`.
  WordClass classOf(const std::string& token) const;

  /// The other classes that an English word of the list has in some texts: "that" is a determiner
  /// in "that house". The word is in lower case.
  const std::vector<WordClass>& otherClasses(const std::string& word) const;
  /// Returns whether the English list has a word, given in lower case.
  bool isEnglish(const std::string& word) const { return isEnglish_.contains(word); }

 private:
  std::unordered_map<std::string, WordClass> classes_;
  std::unordered_map<std::string, std::vector<WordClass>> others_;
  std::unordered_set<std::string> isEnglish_;
  std::array<std::vector<std::string>, kWordClasses> english_;
};

/// The lexicon that comes with the program.
const Lexicon& lexicon();

}  // namespace headscope
