#include "core/tokenizer/sentence_piece.h"

#include "core/base/error.h"

#ifdef HEADSCOPE_SENTENCEPIECE
#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <optional>
#include <string>
#endif

namespace headscope::tokenizer {

#ifdef HEADSCOPE_SENTENCEPIECE

struct SentencePiece::Library {
  sentencepiece::SentencePieceProcessor processor;
};

SentencePiece::SentencePiece(std::string_view bytes, Ids ids) : ids_(ids) {
  const auto library = std::make_shared<Library>();
  const auto status = library->processor.LoadFromSerializedProto({bytes.data(), bytes.size()});
  if (!status.ok() || library->processor.GetPieceSize() > kMostIds) {
    throw UserError("it is no SentencePiece model, or damaged");
  }
  library_ = library;
}

std::vector<Vocabulary::Entry> SentencePiece::entries() const {
  std::vector<Vocabulary::Entry> all;
  for (TokenId id = 0; id < library_->processor.GetPieceSize(); ++id) {
    all.push_back({library_->processor.IdToPiece(id), id});
  }
  return all;
}

std::vector<Vocabulary::Entry> SentencePiece::specials() const {
  std::vector<Vocabulary::Entry> all;
  for (const Vocabulary::Entry& entry : entries()) {
    const auto& processor = library_->processor;
    if (processor.IsControl(entry.id) || processor.IsUnknown(entry.id)) all.push_back(entry);
  }
  return all;
}

bool SentencePiece::addsSpace() const {
  const auto pieces = library_->processor.EncodeAsPieces("a");
  return !pieces.empty() && pieces.front().starts_with("\u2581");
}

void SentencePiece::tokenize(const Vocabulary& vocabulary, std::string_view text,
                             std::vector<Piece>& pieces) const {
  const auto found = library_->processor.EncodeAsImmutableProto({text.data(), text.size()});
  const std::optional<TokenId> unknown =
      ids_ == Ids::ofVocabulary ? vocabulary.id(kUnknown) : std::nullopt;
  for (const auto& piece : found.pieces()) {
    auto id = static_cast<TokenId>(piece.id());
    if (unknown) id = vocabulary.id(piece.piece()).value_or(*unknown);
    pieces.push_back({id, {piece.begin(), piece.end()}});
  }
}

#else

struct SentencePiece::Library {};

SentencePiece::SentencePiece(std::string_view /*bytes*/, Ids ids) : ids_(ids) {
  throw UserError(
      "this program was built without SentencePiece's library (libsentencepiece-dev); put the "
      "tokenizer.json that transformers saves into the same folder");
}

std::vector<Vocabulary::Entry> SentencePiece::entries() const { return {}; }
std::vector<Vocabulary::Entry> SentencePiece::specials() const { return {}; }
bool SentencePiece::addsSpace() const { return false; }
void SentencePiece::tokenize(const Vocabulary& /*vocabulary*/, std::string_view /*text*/,
                             std::vector<Piece>& /*pieces*/) const {}

#endif

}  // namespace headscope::tokenizer
