// Unigram: splits a word into the tokens whose probabilities have the largest product (Kudo 2018),
// as SentencePiece and Hugging Face's tokenizers do it. Named as in tokenizer.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tokenizer/model_piece.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

struct UnigramSettings {
  std::optional<TokenId> unknown;  // unset: text without tokens is refused
  bool byteFallback = false;       // unknown characters become "<0xE2>", … where all are known
};

class Unigram {
 public:
  /// `scores`: the logarithm of each token's probability, by id. Throws UserError where the
  /// settings name a token that does not exist, and for more than one score for a token.
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, UnigramSettings settings);

  /// Appends the pieces of a word. Adjacent unknown characters form one piece. Throws UserError for
  /// a character without a token where no token stands for unknown text.
  void tokenize(const Vocabulary& vocabulary, std::string_view word,
                std::vector<Piece>& pieces) const;
  const UnigramSettings& settings() const { return settings_; }

 private:
  struct Reached;
  std::vector<Reached> bestPaths(const Vocabulary& vocabulary, std::string_view word) const;
  void addUnknown(const Vocabulary& vocabulary, std::string_view word, Span span,
                  std::vector<Piece>& pieces) const;

  std::vector<double> scores_;
  UnigramSettings settings_;
  double unknownScore_ = 0.0;
  std::size_t longest_ = 0;  // bytes of the longest token
};

}  // namespace headscope::tokenizer
