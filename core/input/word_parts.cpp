// The parts of words in their phrases, found by the classes of the words around.
#include <array>

#include "core/input/tagger.h"
#include "core/input/word_forms.h"

namespace headscope {

std::string_view toString(WordPart part) {
  constexpr std::array<std::string_view, kWordParts> kNames{
      "after preposition", "after verb", "owner", "before noun", "begins clause", "after copula"};
  return kNames[static_cast<std::size_t>(part)];
}

namespace {

/// Finds the parts of words from left to right.
class PartFinder {
 public:
  PartFinder(std::span<const std::string> words, std::span<WordUse> uses)
      : words_(words), uses_(uses) {}

  void find() {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      uses_[i].part = partOf(i);
      leads_ = leadsAfter(i);
    }
  }

 private:
  WordClass classAt(std::size_t i) const {
    return i < uses_.size() ? uses_[i].wordClass : WordClass::punctuation;
  }
  bool isOwner(std::size_t i) const { return !ownerIn(words_[i]).empty(); }
  bool leadsToNoun(std::size_t i) const {
    while (classAt(i) == WordClass::adjective) ++i;
    return classAt(i) == WordClass::noun;
  }

  std::optional<WordPart> partOf(std::size_t i) const {
    switch (classAt(i)) {
      case WordClass::noun:
        if (isOwner(i)) return WordPart::owner;
        if (classAt(i + 1) == WordClass::noun) return WordPart::beforeNoun;
        break;
      case WordClass::pronoun:
        if (beginsClause(words_[i])) {
          return WordPart::beginsClause;
        }
        break;
      case WordClass::adjective:
        if ((leads_ != WordClass::verb && leads_ != WordClass::copula) || leadsToNoun(i)) return {};
        return WordPart::afterCopula;
      default:
        return {};
    }
    if (leads_ == WordClass::preposition) return WordPart::afterPreposition;
    if (leads_ == WordClass::verb) return WordPart::afterVerb;
    const bool predicate = leads_ == WordClass::copula && classAt(i) == WordClass::noun;
    return predicate ? std::optional(WordPart::afterVerb) : std::nullopt;
  }

  /// The class of the word that leads to the next noun.
  std::optional<WordClass> leadsAfter(std::size_t i) const {
    switch (classAt(i)) {
      case WordClass::noun:
        if (isOwner(i) || classAt(i + 1) == WordClass::noun) return leads_;
        return {};
      case WordClass::preposition:
      case WordClass::copula:
        return classAt(i);
      case WordClass::verb:
        if (isAuxiliary(words_[i])) return {};
        return WordClass::verb;
      case WordClass::determiner:
      case WordClass::adjective:
      case WordClass::adverb:
      case WordClass::negation:
        return leads_;
      case WordClass::conjunction:  // "was old and tired"
        if (leads_ == WordClass::copula && classAt(i + 1) == WordClass::adjective) return leads_;
        return {};
      case WordClass::pronoun:
      case WordClass::punctuation:
      case WordClass::other:
        break;
    }
    return {};
  }

  std::span<const std::string> words_;
  std::span<WordUse> uses_;
  std::optional<WordClass> leads_;
};

}  // namespace

void findParts(std::span<const std::string> words, std::span<WordUse> uses) {
  PartFinder(words, uses).find();
}

}  // namespace headscope
