// Added tokens: tokens such as "<|endoftext|>" that are searched for before any other step. No word
// crosses one.
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
  bool special = false;     // omitted when tokens are decoded to text
  bool singleWord = false;  // only where no word character adjoins it
  bool lstrip = false;      // includes the white space before it
  bool rstrip = false;      // includes the white space after it
  bool normalized = false;  // searched for after normalization, in normalized form
};

/// Finds tokens in a text: the leftmost first, and the longest of those at one place.
class AddedTokenSearch {
 public:
  struct Found {
    Span span;
    const AddedToken* token;
  };

  AddedTokenSearch() = default;
  /// The tokens must outlive it; `contents` holds the spelling of each.
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
  std::array<std::size_t, 257> begin_ = {};  // by first byte: the begin of its range
};

}  // namespace headscope::tokenizer
