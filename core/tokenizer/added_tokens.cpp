#include "core/tokenizer/added_tokens.h"

#include <algorithm>

#include "core/base/utf8.h"

namespace headscope::tokenizer {
namespace {

std::uint32_t previousCharacter(std::string_view text, std::uint32_t at) {
  do {
    --at;
  } while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

bool standsAlone(std::string_view text, Span span) {
  const bool before =
      span.begin > 0 && isWord(codePointAt(text, previousCharacter(text, span.begin)).value);
  const bool behind = span.end < text.size() && isWord(codePointAt(text, span.end).value);
  return !before && !behind;
}

/// Extends a span by the adjoining white space that the token includes, back to `from` at most.
Span withSpaces(std::string_view text, Span span, const AddedToken& token, std::uint32_t from) {
  while (token.lstrip && span.begin > from) {
    const std::uint32_t before = previousCharacter(text, span.begin);
    if (!isWhiteSpace(codePointAt(text, before).value)) break;
    span.begin = before;
  }
  while (token.rstrip && span.end < text.size() &&
         isWhiteSpace(codePointAt(text, span.end).value)) {
    span.end += characterBytes(text, span.end);
  }
  return span;
}

}  // namespace

AddedTokenSearch::AddedTokenSearch(const std::vector<const AddedToken*>& tokens,
                                   const std::vector<std::string>& contents) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!contents[i].empty()) written_.push_back({contents[i], tokens[i]});
  }
  std::stable_sort(written_.begin(), written_.end(),
                   [](const Written& a, const Written& b) { return a.content < b.content; });
  for (const Written& written : written_) {
    ++begin_[static_cast<std::size_t>(static_cast<unsigned char>(written.content.front())) + 1];
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
}

const AddedTokenSearch::Written* AddedTokenSearch::longestAt(std::string_view text,
                                                             std::size_t at) const {
  const auto first = static_cast<std::size_t>(static_cast<unsigned char>(text[at]));
  auto low = written_.begin() + static_cast<std::ptrdiff_t>(begin_[first]);
  auto high = written_.begin() + static_cast<std::ptrdiff_t>(begin_[first + 1]);
  const Written* longest = nullptr;
  // tokens with a common prefix are adjacent, the shortest first
  for (std::size_t depth = 1; low != high; ++depth) {
    if (low->content.size() == depth) longest = &*low;  // the first of equal ones
    while (low != high && low->content.size() == depth) ++low;
    if (low == high || at + depth >= text.size()) break;
    const auto byte = static_cast<unsigned char>(text[at + depth]);
    const auto byteOf = [depth](const Written& written) {
      return static_cast<unsigned char>(written.content[depth]);
    };
    low = std::partition_point(low, high, [&](const Written& w) { return byteOf(w) < byte; });
    high = std::partition_point(low, high, [&](const Written& w) { return byteOf(w) == byte; });
  }
  return longest;
}

std::vector<AddedTokenSearch::Found> AddedTokenSearch::in(std::string_view text) const {
  std::vector<Found> all;
  if (written_.empty()) return all;
  std::uint32_t free = 0;  // everything before it belongs to a found token
  for (std::size_t at = 0; at < text.size();) {
    const Written* written = longestAt(text, at);
    if (written == nullptr) {
      ++at;
      continue;
    }
    Span span{static_cast<std::uint32_t>(at),
              static_cast<std::uint32_t>(at + written->content.size())};
    at = span.end;
    if (written->token->singleWord && !standsAlone(text, span)) continue;
    span = withSpaces(text, span, *written->token, free);
    free = span.end;
    at = std::max<std::size_t>(at, free);
    all.push_back({span, written->token});
  }
  return all;
}

}  // namespace headscope::tokenizer
