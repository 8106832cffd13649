// Pattern: a literal or regular expression that a tokeniser file searches for. Expressions are
// written for Oniguruma (https://github.com/kkos/oniguruma, doc/RE); PCRE2 runs them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/aligned_text.h"

namespace headscope::tokenizer {

class Pattern {
 public:
  /// An empty literal is found nowhere.
  static Pattern literal(std::string text);
  /// Throws UserError for an invalid expression, and for one whose meaning in Oniguruma has no
  /// equivalent in PCRE2.
  static Pattern regex(const std::string& expression);

 private:
  friend class PatternSearch;
  struct Compiled;
  std::string literal_;
  std::shared_ptr<const Compiled> compiled_;  // set for a regular expression
};

/// Searches for a pattern, which must outlive it, in one text after another.
class PatternSearch {
 public:
  explicit PatternSearch(const Pattern& pattern);
  PatternSearch(const PatternSearch&) = delete;
  PatternSearch& operator=(const PatternSearch&) = delete;
  ~PatternSearch();

  /// Fills `found` with the matches in a text (valid UTF-8), from left to right, without overlaps.
  /// Throws UserError where the search exceeds PCRE2's limits.
  void in(std::string_view text, std::vector<Span>& found);

 private:
  struct Room;
  void byExpression(std::string_view text, std::vector<Span>& found);

  const Pattern& pattern_;
  std::unique_ptr<Room> room_;
};

/// GPT-2's expression: contractions, words, numbers and marks with the space before them, white
/// space (Radford et al. 2019, encoder.py).
extern const char* const kGpt2Expression;

/// Translates an Oniguruma expression to PCRE2. Throws UserError.
std::string pcreOf(std::string_view expression);

}  // namespace headscope::tokenizer
