#include "core/input/tagger.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/utf8.h"
#include "core/input/input.h"
#include "core/input/word_forms.h"

namespace headscope {
namespace {

/// The cost of a form after another: 0 natural, 9 hardly ever. The first row is for the beginning
/// of the text. Columns as in WordForm, by initials: Determiner, Noun, Plural, naMe, Q possessive,
/// Base, third S, past T, inG, auXiliary, Copula, Adjective, adveRb, pronoun I, Object pronoun,
/// relative W, prEposition, > to, K conjunction, - negation, . mark, ? other.
constexpr std::array<std::string_view, kWordForms + 1> kCosts{
    //           DNPMQBSTGXCARIOWE>K-.?
    /* begin */ "0210049622220041010251",
    /* D     */ "3001179739902798888851",
    /* N     */ "4113360030041350000002",
    /* P     */ "4334305030041350000002",
    /* M     */ "4220050030041350000001",
    /* Q     */ "8000288838803898888851",
    /* B     */ "0100078615511000001301",
    /* S     */ "0100078516611000001101",
    /* T     */ "0100068515510000001201",
    /* G     */ "0100076634411001001301",
    /* X     */ "0321108061030012212011",
    /* C     */ "0221168004200132012001",
    /* A     */ "5001157534413563211411",
    /* R     */ "1221111011101132111101",
    /* I     */ "3554400030030252111011",
    /* O     */ "1222236514510142000301",
    /* W     */ "1321110040031075244031",
    /* E     */ "0000069708803200353341",
    /* >     */ "5999909999091999999392",
    /* K     */ "0100021111300041023131",
    /* -     */ "2444403115111436213511",
    /* .     */ "0100021112200040010111",
    /* ?     */ "1000010010010111010100",
};

constexpr double kOther = 0.7;      // a closed word in another use than its usual
constexpr double kOtherOpen = 0.5;  // a word of the lexicon's open classes likewise
constexpr double kName = 0.5;       // a capital within a sentence, other forms
constexpr double kNever = 1e9;

/// The forms of the lexicon's classes. Nouns and verbs have several.
WordForm formOf(WordClass wordClass, const std::string& word) {
  switch (wordClass) {
    case WordClass::determiner:
      return WordForm::determiner;
    case WordClass::noun:
      return WordForm::noun;
    case WordClass::verb:
      return isAuxiliary(word) ? WordForm::auxiliary : WordForm::base;
    case WordClass::copula:
      return WordForm::copula;
    case WordClass::adjective:
      return WordForm::adjective;
    case WordClass::adverb:
      return WordForm::adverb;
    case WordClass::pronoun:
      if (beginsClause(word)) return WordForm::relative;
      return word == "me" || word == "him" || word == "us" || word == "them"
                 ? WordForm::objectPronoun
                 : WordForm::pronoun;
    case WordClass::preposition:
      return word == "to" ? WordForm::to : WordForm::preposition;
    case WordClass::conjunction:
      return WordForm::conjunction;
    case WordClass::negation:
      return WordForm::negation;
    case WordClass::punctuation:
      return WordForm::mark;
    case WordClass::other:
      break;
  }
  return WordForm::other;
}

WordClass classOf(WordForm form) {
  switch (form) {
    case WordForm::determiner:
      return WordClass::determiner;
    case WordForm::noun:
    case WordForm::plural:
    case WordForm::name:
    case WordForm::possessive:
      return WordClass::noun;
    case WordForm::base:
    case WordForm::third:
    case WordForm::past:
    case WordForm::ing:
    case WordForm::auxiliary:
      return WordClass::verb;
    case WordForm::copula:
      return WordClass::copula;
    case WordForm::adjective:
      return WordClass::adjective;
    case WordForm::adverb:
      return WordClass::adverb;
    case WordForm::pronoun:
    case WordForm::objectPronoun:
    case WordForm::relative:
      return WordClass::pronoun;
    case WordForm::preposition:
      return WordClass::preposition;
    case WordForm::conjunction:
      return WordClass::conjunction;
    case WordForm::negation:
      return WordClass::negation;
    case WordForm::mark:
      return WordClass::punctuation;
    case WordForm::to:  // "to see" has no object
    case WordForm::other:
      break;
  }
  return WordClass::other;
}

bool isOpen(WordClass wordClass) {
  return wordClass == WordClass::noun || wordClass == WordClass::verb ||
         wordClass == WordClass::adjective || wordClass == WordClass::adverb;
}

/// A token and what is known of it.
struct Token {
  std::string word;  // in lower case
  bool capital = false;
  bool letters = false;  // it has nothing but letters, marks and apostrophes
  bool english = false;  // an English list has it, or a word that it is a form of
  std::vector<Reading> readings;
};

bool onlyLetters(const std::string& word) {
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint point = codePointAt(word, at);
    if (!point.valid()) return false;
    at += point.bytes;
    const auto category = utf8proc_category(point.value);
    const bool mark = category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
    const bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
    if (!letter && !mark && point.value != U'\'' && point.value != U'\u2019') return false;
  }
  return !word.empty();
}

/// The readings of a word of the lexicon: its own class, the others that the lexicon gives it, and
/// for nouns, verbs, adjectives and adverbs those of the table.
std::vector<Reading> lexiconReadings(const std::string& word, WordClass own) {
  std::vector<Reading> readings;
  const std::vector<Reading> table = wordForms().readings(word);
  const WordForm usual = formOf(own, word);
  for (const Reading& reading : table) {
    if (!isOpen(own)) break;
    if (usual == WordForm::auxiliary) break;
    const bool same = classOf(reading.form) == own;
    addReading(readings, reading.form, same ? 0.0 : reading.cost + kOtherOpen);
  }
  const bool found = std::any_of(readings.begin(), readings.end(), [own](const Reading& reading) {
    return classOf(reading.form) == own;
  });
  if (!found) addReading(readings, usual, 0.0);
  for (const WordClass other : lexicon().otherClasses(word)) {
    addReading(readings, formOf(other, word), kOther);
  }
  if (word == "to") addReading(readings, WordForm::preposition, kOther);
  if (word == "it" || word == "you" || word == "her") {
    addReading(readings, WordForm::objectPronoun, 0.0);
  }
  return readings;
}

Token tokenOf(const std::string& text) {
  Token token;
  token.word = lowerCased(text);
  token.capital = token.word != text;
  token.letters = onlyLetters(text);
  const WordClass listed = lexicon().classOf(text);
  if (listed != WordClass::other) {
    token.english = lexicon().isEnglish(token.word);
    token.readings = lexiconReadings(token.word, listed);
    return token;
  }
  if (!token.letters) {
    token.readings = {{WordForm::other, 0.0}, {WordForm::determiner, 0.5}};
    return token;
  }
  if (const std::string of = ownerIn(token.word); !of.empty()) {
    token.english = lexicon().isEnglish(of) || !wordForms().readings(of).empty();
    token.readings = {{WordForm::possessive, 0.0}};
    return token;
  }
  token.readings = wordForms().readings(token.word);
  token.english = !token.readings.empty();
  return token;
}

std::vector<Token> tokensOf(std::span<const std::string> texts) {
  std::unordered_map<std::string, Token> found;  // a long text has the same words again and again
  std::vector<Token> tokens;
  tokens.reserve(texts.size());
  for (const std::string& text : texts) {
    const auto [entry, isNew] = found.try_emplace(text);
    if (isNew) entry->second = tokenOf(text);
    tokens.push_back(entry->second);
  }
  return tokens;
}

bool beginsSentence(const std::vector<Token>& tokens, std::size_t i) {
  return i == 0 || tokens[i - 1].word == "." || tokens[i - 1].word == "!" ||
         tokens[i - 1].word == "?" || tokens[i - 1].word == "\"";
}

bool foreign(const std::vector<Token>& tokens) {
  // words of English alone, which tell it apart even among invented words
  static const std::set<std::string, std::less<>> kEnglish{
      "the", "and", "with", "from", "that", "this", "his", "she", "they", "which", "were", "your"};
  constexpr int kWordsForEach = 6;
  int words = 0, english = 0, names = 0, telling = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (!token.letters) continue;
    const bool name = token.capital && !token.english && !beginsSentence(tokens, i);
    (name ? names : words) += 1;
    english += token.english ? 1 : 0;
    telling += kEnglish.contains(token.word) ? 1 : 0;
  }
  // A text of nothing but names, such as a protein's letters, is no English text.
  const bool rare = 2 * english < words && kWordsForEach * telling < words;
  return rare || names > words;
}

/// Adds the readings that a token has by its place: names, and guesses for unknown words.
void addGuesses(std::vector<Token>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    const bool within = token.capital && !beginsSentence(tokens, i);
    if (token.readings.empty()) {
      token.readings = guessedReadings(token.word);
      if (token.capital) addReading(token.readings, WordForm::name, within ? -1.0 : 0.0);
    } else if (within && isOpen(classOf(token.readings.front().form)) &&
               token.readings.front().form != WordForm::possessive) {
      for (Reading& reading : token.readings) reading.cost += kName;
      addReading(token.readings, WordForm::name, 0.0);
    }
  }
}

/// The forms of the cheapest way through the tokens (Viterbi 1967).
std::vector<WordForm> cheapest(const std::vector<Token>& tokens) {
  struct Step {
    double cost = kNever;
    std::size_t before = 0;  // the reading of the token before
  };
  const auto between = [](std::size_t row, WordForm to) {
    return static_cast<double>(kCosts[row][static_cast<std::size_t>(to)] - '0');
  };
  std::vector<std::vector<Step>> steps(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::vector<Step>& at = steps[i];
    at.resize(tokens[i].readings.size());
    for (std::size_t r = 0; r < at.size(); ++r) {
      const Reading& reading = tokens[i].readings[r];
      const bool alone = tokens.size() == 1;  // a word by itself is no beginning of a sentence
      if (i == 0) at[r].cost = (alone ? 0.0 : between(0, reading.form)) + reading.cost;
      for (std::size_t b = 0; i > 0 && b < steps[i - 1].size(); ++b) {
        const auto row = static_cast<std::size_t>(tokens[i - 1].readings[b].form) + 1;
        const double cost = steps[i - 1][b].cost + between(row, reading.form) + reading.cost;
        if (cost < at[r].cost) at[r] = {cost, b};
      }
    }
  }
  std::vector<WordForm> forms(tokens.size());
  std::size_t reading = 0;
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (i + 1 == tokens.size()) {
      const auto best =
          std::min_element(steps[i].begin(), steps[i].end(),
                           [](const Step& a, const Step& b) { return a.cost < b.cost; });
      reading = static_cast<std::size_t>(best - steps[i].begin());
    }
    forms[i] = tokens[i].readings[reading].form;
    reading = steps[i][reading].before;
  }
  return forms;
}

}  // namespace

std::vector<WordUse> wordUses(std::span<const std::string> texts) {
  std::vector<WordUse> uses;
  std::vector<Token> tokens = tokensOf(texts);
  if (foreign(tokens)) {
    for (const std::string& text : texts) uses.push_back({lexicon().classOf(text)});
    return uses;
  }
  addGuesses(tokens);
  for (const WordForm form : cheapest(tokens)) uses.push_back({classOf(form)});
  std::vector<std::string> words;
  for (const Token& token : tokens) words.push_back(token.word);
  findParts(words, uses);
  return uses;
}

std::vector<WordUse> wordUsesWithoutOrder(std::span<const std::string> texts) {
  std::vector<WordUse> uses;
  for (const std::string& text : texts) uses.push_back({wordUses({&text, 1}).front().wordClass});
  return uses;
}

std::vector<bool> unknownWords(std::span<const std::string> texts) {
  const std::vector<Token> tokens = tokensOf(texts);
  const bool other = foreign(tokens);
  std::vector<bool> unknown;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool name = token.capital && !beginsSentence(tokens, i);
    const bool listed = other && lexicon().classOf(texts[i]) != WordClass::other;
    unknown.push_back(token.letters && !token.english && !listed && (other || !name));
  }
  return unknown;
}

bool seemsForeign(std::span<const std::string> tokens) { return foreign(tokensOf(tokens)); }

}  // namespace headscope
