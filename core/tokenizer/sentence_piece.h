// SentencePiece: the tokenizer of a SentencePiece file (Kudo & Richardson 2018), Unigram or BPE, by
// its library. It normalizes and splits a text itself.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/tokenizer/model_piece.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

/// The piece for unknown text in a vocabulary of Marian's.
inline constexpr const char* kUnknown = "<unk>";

class SentencePiece {
 public:
  /// Whose ids the pieces have: the file's own, or those of their texts in a vocabulary (Marian).
  enum class Ids { own, ofVocabulary };

  /// Throws UserError for bytes that are no such file, and where the program was built without the
  /// library.
  explicit SentencePiece(std::string_view bytes, Ids ids = Ids::own);

  std::vector<Vocabulary::Entry> entries() const;
  /// Pieces that stand for no text, such as "<s>", and the one for unknown text.
  std::vector<Vocabulary::Entry> specials() const;
  /// Returns whether a text gets a space in front.
  bool addsSpace() const;

  /// Appends the pieces of a text. A piece that the vocabulary lacks becomes its "<unk>".
  void tokenize(const Vocabulary& vocabulary, std::string_view text,
                std::vector<Piece>& pieces) const;

 private:
  struct Library;
  std::shared_ptr<const Library> library_;
  Ids ids_;
};

}  // namespace headscope::tokenizer
