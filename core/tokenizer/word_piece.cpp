#include <algorithm>

#include "core/tokenizer/model.h"

namespace headscope::tokenizer {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

void WordPiece::tokenize(const Vocabulary& vocabulary, std::string_view word,
                         std::vector<Piece>& pieces) const {
  const std::size_t before = pieces.size();
  const auto bytes = static_cast<std::uint32_t>(word.size());
  const auto characters =
      static_cast<std::size_t>(bytes - std::count_if(word.begin(), word.end(), continues));
  std::string longest;
  for (std::uint32_t begin = 0; begin < bytes && characters <= mostCharacters;) {
    longest = begin > 0 ? continuingPrefix : "";
    const std::size_t prefix = longest.size();
    longest += word.substr(begin);
    std::optional<TokenId> id;
    while (longest.size() > prefix) {
      id = vocabulary.id(longest);
      if (id) break;
      while (continues(longest.back())) longest.pop_back();
      longest.pop_back();
    }
    if (!id) break;
    const auto end = begin + static_cast<std::uint32_t>(longest.size() - prefix);
    pieces.push_back({*id, {begin, end}});
    begin = end;
  }
  if (pieces.size() > before && pieces.back().span.end == bytes) return;
  pieces.resize(before, Piece{});
  pieces.push_back({unknown, {0, bytes}});
}

void WordLevel::tokenize(const Vocabulary& vocabulary, std::string_view word,
                         std::vector<Piece>& pieces) const {
  pieces.push_back(
      {vocabulary.id(word).value_or(unknown), {0, static_cast<std::uint32_t>(word.size())}});
}

}  // namespace headscope::tokenizer
