// Added tokens: those that a text is searched for before anything else is done to it, such as
// "<|endoftext|>"; the words around them never reach over one.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/aligned_text.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

struct AddedToken {
  std::string content;
  TokenId id = 0;
  bool special = false;     // no word of the text: left out when tokens become text again
  bool singleWord = false;  // only where no word goes on at either end
  bool lstrip = false;      // with the white space before it
  bool rstrip = false;      // with the white space behind it
  bool normalized = false;  // looked for after the normalizers, and as they write it
};

/// Finds tokens in a text: the leftmost first, of those the longest.
class AddedTokenSearch {
 public:
  struct Found {
    Span span;
    const AddedToken* token;
  };

  AddedTokenSearch() = default;
  /// The tokens must outlive it; `contents` is what each is written as.
  AddedTokenSearch(const std::vector<const AddedToken*>& tokens,
                   const std::vector<std::string>& contents);

  std::vector<Found> in(std::string_view text) const;

 private:
  struct Written {
    std::string content;
    const AddedToken* token;
  };
  const Written* longestAt(std::string_view text, std::size_t at) const;

  std::vector<Written> written_;             // sorted
  std::array<std::size_t, 257> begin_ = {};  // of those with that first byte
};

}  // namespace headscope::tokenizer
