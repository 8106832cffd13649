// Tagger: the word class of each word of a text, as it is used there. A word of several classes
// takes the one that suits its neighbours: "play" is a verb in "they play" and a noun in "the
// play".
//
// Each form of a word (word_forms.h) has a cost, and so has each form after another; the forms of
// the cheapest way through the text are taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/input/lexicon.h"

namespace headscope {

/// The part of a word in its phrase, where the word class does not say it.
enum class WordPart {
  afterPreposition,  // a noun or pronoun that a preposition leads to: "mat" in "on the mat"
  afterVerb,         // its object: "cat" in "chased the cat"
  owner,             // "sister's" in "my sister's house"
  beforeNoun,        // a noun before its noun: "summer" in "the summer holidays"
  beginsClause,      // a pronoun that begins a clause: "which", "who", "that"
  afterCopula,       // an adjective that is said of a subject: "fluffy" in "it was fluffy"
};
inline constexpr std::size_t kWordParts = 6;

/// "after preposition", "owner", …
std::string_view toString(WordPart part);

/// The use of a word in its text.
struct WordUse {
  WordClass wordClass = WordClass::other;
  std::optional<WordPart> part = std::nullopt;
};

/// The uses of a text's tokens in their order. An unknown word of an English text has a class by
/// its ending and its neighbours; in another language it is `other`.
std::vector<WordUse> wordUses(std::span<const std::string> tokens);

/// The uses of words whose order is not known: the most usual class of each by itself.
std::vector<WordUse> wordUsesWithoutOrder(std::span<const std::string> tokens);

/// Sets the parts of words, in lower case, whose classes are known.
void findParts(std::span<const std::string> words, std::span<WordUse> uses);

/// Returns, for each token, whether it is a word that the program does not know: its class is
/// guessed. Marks, numbers and capitalised names inside a sentence are not unknown.
std::vector<bool> unknownWords(std::span<const std::string> tokens);

/// Returns whether a text seems to be in another language than English: most of its words are in no
/// English list. In such a text, heads that learned from English sentences can do nothing but look
/// at the previous word.
bool seemsForeign(std::span<const std::string> tokens);

}  // namespace headscope
