// Pattern: what a tokeniser file looks for in a text, a literal or a regular expression. Those are
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
  /// An empty one is found nowhere.
  static Pattern literal(std::string text);
  /// Throws UserError for what is no regular expression, and for what means something else in
  /// Oniguruma than in PCRE2 and cannot be said in both.
  static Pattern regex(const std::string& expression);

 private:
  friend class PatternSearch;
  struct Compiled;
  std::string literal_;
  std::shared_ptr<const Compiled> compiled_;  // of a regular expression
};

/// Looks for a pattern, which must outlive it, in one text after another.
class PatternSearch {
 public:
  explicit PatternSearch(const Pattern& pattern);
  PatternSearch(const PatternSearch&) = delete;
  PatternSearch& operator=(const PatternSearch&) = delete;
  ~PatternSearch();

  /// Where it is in the text (valid UTF-8), from left to right, without overlaps; what `found` held
  /// is gone. Throws UserError where the search goes beyond PCRE2's limits.
  void in(std::string_view text, std::vector<Span>& found);

 private:
  struct Room;
  void byExpression(std::string_view text, std::vector<Span>& found);

  const Pattern& pattern_;
  std::unique_ptr<Room> room_;
};

/// GPT-2's: contractions, words, numbers and marks with the space before them, white space.
/// Radford et al. 2019, encoder.py.
extern const char* const kGpt2Expression;

/// In PCRE2's language, what it means in Oniguruma's. Throws UserError.
std::string pcreOf(std::string_view expression);

}  // namespace headscope::tokenizer
