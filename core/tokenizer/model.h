// Model: splits one word into tokens. Bpe joins pairs, the first learned first (Sennrich et al.
// 2016); WordPiece takes the longest token that it knows, repeatedly (Wu et al. 2016; Devlin et al.
// 2018); WordLevel knows whole words; Unigram
// (unigram.h) takes the most probable split. Named as in tokenizer.json.
// SentencePiece (sentence_piece.h) reads a file of its own.
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

#include "core/tokenizer/model_piece.h"
#include "core/tokenizer/sentence_piece.h"
#include "core/tokenizer/unigram.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

struct BpeSettings {
  std::optional<std::string> unknown;  // unset: unknown characters are omitted
  std::string continuingPrefix;        // prefix of all characters but a word's first
  std::string endSuffix;               // suffix of a word's last character
  bool fuseUnknown = false;            // adjacent unknown characters form one token
  bool byteFallback = false;  // unknown characters become "<0xE2>", … where all are known
  bool ignoreMerges = false;  // a word that is a token is not split
};

class Bpe {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  /// Takes the merges in the order in which they were learned. Throws UserError for a merge whose
  /// parts or result are not in the vocabulary.
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
  TokenId unknown;  // for a word that cannot be split into known tokens
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

using Model = std::variant<Bpe, WordPiece, WordLevel, Unigram, SentencePiece>;

}  // namespace headscope::tokenizer
