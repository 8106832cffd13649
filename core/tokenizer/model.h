// Model: how a tokeniser makes tokens of one word. Bpe joins pairs, the first learned first
// (Sennrich et al. 2016); WordPiece takes the longest token it knows, again and again (Wu et al.
// 2016; Devlin et al. 2018); WordLevel knows whole words. Named as in tokenizer.json.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/tokenizer/aligned_text.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

/// A token of a word, and its bytes of it.
struct Piece {
  TokenId id;
  Span span;

  bool operator==(const Piece&) const = default;
};

struct BpeSettings {
  std::optional<std::string> unknown;  // not said: unknown characters are left out
  std::string continuingPrefix;        // of every character but a word's first
  std::string endSuffix;               // of a word's last
  bool fuseUnknown = false;            // unknown characters beside each other are one token
  bool byteFallback = false;  // unknown characters become "<0xE2>", … where all are known
  bool ignoreMerges = false;  // a word that is a token is taken whole
};

class Bpe {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  /// Merges in the order they were learned. Throws UserError for one that joins what is not in the
  /// vocabulary, or to what is not.
  Bpe(const Vocabulary& vocabulary, std::span<const Pair> merges, BpeSettings settings);

  void tokenize(const Vocabulary& vocabulary, std::string_view word,
                std::vector<Piece>& pieces) const;
  const BpeSettings& settings() const { return settings_; }

 private:
  struct Merge {
    std::uint32_t rank;
    TokenId joined;
  };
  struct Symbol;
  static std::uint64_t pairOf(TokenId left, TokenId right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  }
  std::vector<Symbol> symbolsOf(const Vocabulary& vocabulary, std::string_view word) const;
  void join(std::vector<Symbol>& symbols) const;

  BpeSettings settings_;
  std::optional<TokenId> unknown_;
  std::unordered_map<std::uint64_t, Merge> merges_;
};

struct WordPiece {
  TokenId unknown;  // what a word becomes that cannot be put together
  std::string continuingPrefix = "##";
  std::size_t mostCharacters = 100;  // a longer word is unknown

  void tokenize(const Vocabulary& vocabulary, std::string_view word,
                std::vector<Piece>& pieces) const;
};

struct WordLevel {
  TokenId unknown;

  void tokenize(const Vocabulary& vocabulary, std::string_view word,
                std::vector<Piece>& pieces) const;
};

using Model = std::variant<Bpe, WordPiece, WordLevel>;

/// "<0x0A>": how a vocabulary with byte fallback writes a byte.
std::string byteToken(unsigned char byte);
std::optional<unsigned char> byteOfToken(std::string_view token);

}  // namespace headscope::tokenizer
