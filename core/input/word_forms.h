// Word forms: what an English word can be by its spelling, from a table of frequent words
// (assets/word_forms.txt), their regular inflections, and endings.
//
//   wordForms().readings("bakes")   third person (cost 0), the table has the verb "bake"
//   guessedReadings("zorbling")     -ing form, adjective, noun
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope {

/// Forms of words, finer than word classes where the word before and after differ. The closed
/// classes of the lexicon have one each, pronouns and prepositions several.
enum class WordForm {
  determiner,
  noun,
  plural,
  name,
  possessive,  // "sister's"
  base,        // "bake", without -s
  third,       // "bakes"
  past,        // "baked", "broken"
  ing,         // "baking"
  auxiliary,
  copula,
  adjective,
  adverb,
  pronoun,
  objectPronoun,  // "him"
  relative,       // "which", "who", "that", "what"
  preposition,
  to,
  conjunction,
  negation,
  mark,
  other,
};
inline constexpr std::size_t kWordForms = 22;

/// One form that a word may have. The most usual form costs 0, rarer ones more.
struct Reading {
  WordForm form;
  double cost;
};

class WordForms {
 public:
  /// Reads the text of a table: lines of words below lines such as "[nv.a]" that say what these
  /// words can be; a line that begins with # is a comment. Throws UserError naming the line.
  explicit WordForms(std::string_view table);

  /// The readings of a word in lower case, found in the table or by an inflection of one of its
  /// words; empty: unknown.
  std::vector<Reading> readings(const std::string& word) const;

 private:
  std::vector<Reading> listed(const std::string& word) const;
  void addInflected(const std::string& word, std::vector<Reading>& found) const;

  std::unordered_map<std::string, std::string> groups_;  // "bake" → "v.n"
};

/// The table that comes with the program.
const WordForms& wordForms();

/// The readings of an unknown word in lower case, by its ending.
std::vector<Reading> guessedReadings(const std::string& word);

/// Returns whether a verb in lower case is one that helps another: "did", "can", "has".
bool isAuxiliary(std::string_view word);
/// Returns whether a pronoun in lower case may begin a clause about a noun: "which", "who", "that".
bool beginsClause(std::string_view word);
/// The owner in a possessive: "sister" in "sister's"; empty: the word is none.
std::string ownerIn(const std::string& word);

/// Adds a reading; where the form is there already, the lower cost counts.
void addReading(std::vector<Reading>& readings, WordForm form, double cost);

}  // namespace headscope
