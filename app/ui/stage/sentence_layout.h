// Sentence layout: the places of a sentence's words in large type, over as many lines as the room
// needs, with room above each line for arcs and below it for bars. Pure: no drawing.
//
// A sentence that does not fit in legible letters becomes a row of marks, one per token.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/ui/parts/layout.h"

namespace headscope::ui {

struct SentenceSpace {
  Rect room;
  float largest = 42.0F, smallest = 15.0F;  // heights of letters, in points of the display
  float below = 0.0F;                       // room below each line, where there is one line …
  float belowEach = 0.0F;                   // … and where there are several
  bool arcs = true;                         // whether arcs need room above the words
  /// The first word of each line, as another layout of the sentence has them; empty, or where they
  /// do not fit: as the largest letters need them.
  std::vector<std::size_t> lines = {};
};

/// A word to place: its width in letters of height 1.
struct WordWidth {
  float width = 0.0F;
  bool closes = false;  // a mark that follows the word before it closely, such as a comma
};

struct SentenceLayout {
  std::vector<Rect> words;  // in order; of marks, where the letters' height is 0
  float letters = 0.0F;     // height of the letters; 0: marks
  float arcRoom = 0.0F;     // room above the words of a line
  float below = 0.0F;       // room below them
  int lines = 1;
  Rect picture;  // that the words are patches of; empty: they are none

  bool marks() const { return letters == 0.0F; }
  /// The first word of each line.
  std::vector<std::size_t> firstWords() const;
  bool isPicture() const { return !picture.empty(); }
  bool sameLine(std::size_t a, std::size_t b) const { return words[a].a.y == words[b].a.y; }
  /// The word at a point, or −1.
  int at(ImVec2 point) const;
  /// The place between two words that is nearest to a point: 0 … the number of words.
  int gapAt(ImVec2 point) const;
};

/// Places the words in the largest letters with which they fit.
SentenceLayout layoutSentence(std::span<const WordWidth> words, const SentenceSpace& space);

/// The words between two layouts of one sentence: `share` 0 is `from`, 1 is `to`.
SentenceLayout between(const SentenceLayout& from, const SentenceLayout& to, float share);

/// The point or rectangle at `share` of the way from `a` to `b`.
ImVec2 mix(ImVec2 a, ImVec2 b, float share);
Rect mix(const Rect& a, const Rect& b, float share);

/// A token as the sentence has it: a word without the “▁” of SentencePiece or the “·” that marks a
/// space before it; "·" for such a mark alone.
std::string_view stageWord(std::string_view token);

/// Returns whether a token closes the word before it: “,”, “.”, “)”.
bool isClosingMark(std::string_view token);

/// Returns whether a token is a word and no mark, blank or token of a model's own such as "[CLS]".
bool isWord(std::string_view token);

}  // namespace headscope::ui
