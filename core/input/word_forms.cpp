#include "core/input/word_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/assets.h"
#include "core/base/error.h"

namespace headscope {
namespace {

constexpr double kNextUsual = 0.6;  // more for each reading that is not the most usual
constexpr double kRare = 2.5;
constexpr double kNotInTable = 1.0;  // "a meeting", "the broken window", by rule from the verb

std::optional<WordForm> formOfLetter(char letter) {
  switch (letter) {
    case 'n':
      return WordForm::noun;
    case 'p':
      return WordForm::plural;
    case 'v':
      return WordForm::base;
    case 'd':
      return WordForm::past;
    case 'a':
      return WordForm::adjective;
    case 'r':
      return WordForm::adverb;
    default:
      return std::nullopt;
  }
}

void checkGroup(std::string_view group, std::size_t line) {
  for (const char letter : group) {
    if (letter != '.' && !formOfLetter(letter)) {
      throw UserError(fmt::format(
          "word_forms.txt: line {}: \"{}\" is no form of a word; use n, p, v, d, a or r", line,
          letter));
    }
  }
}

/// An inflection: the ending of a word, what it stands for in the lemma, and the form.
struct Inflection {
  std::string_view ending, lemmaEnding;
  char of;
  WordForm form;
};
constexpr std::array kInflections{
    Inflection{"s", "", 'n', WordForm::plural},
    Inflection{"es", "", 'n', WordForm::plural},
    Inflection{"ies", "y", 'n', WordForm::plural},
    Inflection{"men", "man", 'n', WordForm::plural},
    Inflection{"s", "", 'v', WordForm::third},
    Inflection{"es", "", 'v', WordForm::third},
    Inflection{"ies", "y", 'v', WordForm::third},
    Inflection{"d", "", 'v', WordForm::past},
    Inflection{"ed", "", 'v', WordForm::past},
    Inflection{"ied", "y", 'v', WordForm::past},
    Inflection{"ing", "", 'v', WordForm::ing},
    Inflection{"ing", "e", 'v', WordForm::ing},
    Inflection{"ying", "ie", 'v', WordForm::ing},
    Inflection{"er", "", 'a', WordForm::adjective},
    Inflection{"r", "", 'a', WordForm::adjective},
    Inflection{"ier", "y", 'a', WordForm::adjective},
    Inflection{"est", "", 'a', WordForm::adjective},
    Inflection{"st", "", 'a', WordForm::adjective},
    Inflection{"iest", "y", 'a', WordForm::adjective},
    Inflection{"er", "", 'r', WordForm::adverb},
};

/// "stopp" → "stop": a consonant that the ending doubled.
std::string singled(std::string stem) {
  const std::size_t length = stem.size();
  const bool doubled = length >= 4 && stem[length - 1] == stem[length - 2] &&
                       std::string_view("bdglmnprt").find(stem.back()) != std::string_view::npos;
  if (doubled) stem.pop_back();
  return doubled ? stem : std::string();
}

/// The usual form of words that end so, by how often such a word is a noun, an adjective or a verb.
struct Ending {
  std::string_view ending;
  WordForm form;
};
constexpr std::array kEndings{
    Ending{"ly", WordForm::adverb},      Ending{"ness", WordForm::noun},
    Ending{"tion", WordForm::noun},      Ending{"sion", WordForm::noun},
    Ending{"ment", WordForm::noun},      Ending{"ity", WordForm::noun},
    Ending{"ism", WordForm::noun},       Ending{"ist", WordForm::noun},
    Ending{"ship", WordForm::noun},      Ending{"hood", WordForm::noun},
    Ending{"ance", WordForm::noun},      Ending{"ence", WordForm::noun},
    Ending{"ology", WordForm::noun},     Ending{"er", WordForm::noun},
    Ending{"or", WordForm::noun},        Ending{"ous", WordForm::adjective},
    Ending{"ful", WordForm::adjective},  Ending{"less", WordForm::adjective},
    Ending{"able", WordForm::adjective}, Ending{"ible", WordForm::adjective},
    Ending{"ish", WordForm::adjective},  Ending{"ive", WordForm::adjective},
    Ending{"al", WordForm::adjective},   Ending{"ic", WordForm::adjective},
    Ending{"ian", WordForm::adjective},  Ending{"ese", WordForm::adjective},
    Ending{"like", WordForm::adjective}, Ending{"ing", WordForm::ing},
    Ending{"ed", WordForm::past},        Ending{"ise", WordForm::base},
    Ending{"ize", WordForm::base},       Ending{"ify", WordForm::base},
};

/// The words that a participle or an -ing form may also serve as: "the broken window", "a meeting".
void addDerived(std::vector<Reading>& readings) {
  const auto costOf = [&readings](WordForm form) -> std::optional<double> {
    for (const Reading& reading : readings) {
      if (reading.form == form) return reading.cost;
    }
    return std::nullopt;
  };
  if (const auto past = costOf(WordForm::past)) {
    addReading(readings, WordForm::adjective, *past + kNotInTable);
  }
  if (const auto ing = costOf(WordForm::ing)) {
    addReading(readings, WordForm::adjective, *ing + kNotInTable);
    addReading(readings, WordForm::noun, *ing + kNotInTable);
  }
}

template <std::size_t kCount>
bool among(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool isAuxiliary(std::string_view word) {
  constexpr std::array<std::string_view, 15> kAuxiliaries{
      "can",  "could", "will", "would", "shall", "should", "may", "might",
      "must", "do",    "does", "did",   "have",  "has",    "had"};
  return among(kAuxiliaries, word);
}

bool beginsClause(std::string_view word) {
  constexpr std::array<std::string_view, 6> kPronouns{"who",   "whom", "whose",
                                                      "which", "that", "what"};
  return among(kPronouns, word);
}

std::string ownerIn(const std::string& word) {
  for (const std::string_view ending : {"'s", "\u2019s"}) {
    if (word.size() > ending.size() && word.ends_with(ending)) {
      return word.substr(0, word.size() - ending.size());
    }
  }
  return {};
}

void addReading(std::vector<Reading>& readings, WordForm form, double cost) {
  const auto found = std::find_if(readings.begin(), readings.end(),
                                  [form](const Reading& reading) { return reading.form == form; });
  if (found == readings.end()) {
    readings.push_back({form, cost});
  } else {
    found->cost = std::min(found->cost, cost);
  }
}

WordForms::WordForms(std::string_view table) {
  std::string group;
  for (std::size_t number = 1; !table.empty(); ++number) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      group = line.substr(1, line.find(']') - 1);
      checkGroup(group, number);
      continue;
    }
    if (group.empty()) {
      throw UserError(fmt::format(
          "word_forms.txt: line {}: words before the first group; put them below one", number));
    }
    for (std::size_t begin = 0; begin < line.size();) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      groups_.emplace(line.substr(begin, end - begin), group);
      begin = end + 1;
    }
  }
}

std::vector<Reading> WordForms::listed(const std::string& word) const {
  std::vector<Reading> found;
  const auto entry = groups_.find(word);
  if (entry == groups_.end()) return found;
  double cost = 0.0;
  for (const char letter : entry->second) {
    if (letter == '.') {
      cost = std::max(cost, kRare);
    } else {
      found.push_back({*formOfLetter(letter), cost});
      cost += kNextUsual;
    }
  }
  return found;
}

void WordForms::addInflected(const std::string& word, std::vector<Reading>& found) const {
  const double more = found.empty() ? 0.0 : kNextUsual;
  for (const Inflection& inflection : kInflections) {
    const std::size_t ending = inflection.ending.size();
    if (word.size() < ending + 1 || !word.ends_with(inflection.ending)) continue;
    const std::string stem = word.substr(0, word.size() - ending);
    for (const std::string& lemma : {stem + std::string(inflection.lemmaEnding), singled(stem)}) {
      for (const Reading& reading : listed(lemma)) {
        if (reading.form == formOfLetter(inflection.of)) {
          addReading(found, inflection.form, reading.cost + more);
        }
      }
    }
  }
}

std::vector<Reading> WordForms::readings(const std::string& word) const {
  std::vector<Reading> found = listed(word);
  addInflected(word, found);
  addDerived(found);
  return found;
}

const WordForms& wordForms() {
  static const WordForms instance(asset("word_forms.txt"));
  return instance;
}

std::vector<Reading> guessedReadings(const std::string& word) {
  std::vector<Reading> readings;
  for (const Ending& each : kEndings) {
    if (word.size() > each.ending.size() + 2 && word.ends_with(each.ending)) {
      readings.push_back({each.form, 0.0});
      break;
    }
  }
  addDerived(readings);
  const bool usual = readings.empty();
  const double others = usual ? 0.0 : 1.5;
  if (word.size() > 3 && word.ends_with("s") && !word.ends_with("ss") && usual) {
    addReading(readings, WordForm::plural, 0.0);
    addReading(readings, WordForm::third, 0.3);
  }
  addReading(readings, WordForm::noun, others);
  addReading(readings, WordForm::adjective, others + 1.0);
  addReading(readings, WordForm::base, others + 1.2);
  return readings;
}

}  // namespace headscope
