// Alignment: which words of the source a decoder attends to at each word of the target (Bahdanau et
// al. 2015): the mean cross-attention of some heads, with the tokens of a word joined.
#pragma once

#include <string>
#include <vector>

#include "core/model/model_trace.h"
#include "core/tensor/matrix64.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::model {

/// A word of a text: its tokens [begin, end).
struct WordOfText {
  Index begin = 0, end = 0;
  std::string text;

  bool operator==(const WordOfText&) const = default;
};

/// Joins the tokens of a text to words: a token whose text begins with a space begins a word, and
/// special tokens stand alone. `tokenizer` may be null: each token is then a word, its id.
std::vector<WordOfText> wordsOf(const std::vector<Index>& ids,
                                const tokenizer::Tokenizer* tokenizer);

/// The heads of a decoder's cross-attention: of one layer, or of all of them (−1).
std::vector<HeadOfLayer> crossHeads(const ModelConfig& config, Index layer);

/// The rows of the cross-attention that a word of the target takes: those that wrote its tokens,
/// each the row of the token before, which predicts it; or its own tokens' rows, with which it is
/// read and the next one is written.
enum class AlignedRows { written, read };

/// The weight of each word of the source at each word of the target, (target, source): the mean
/// over the heads and the tokens of the target's word, the sum over those of the source's. Each row
/// adds up to 1, but that of a word of the first token alone, which no row has written: it is 0.
/// Throws UserError for no heads, and for heads that are not of the cross-attention.
Matrix64 alignmentOf(const ModelTrace& trace, const std::vector<HeadOfLayer>& heads,
                     const std::vector<WordOfText>& target, const std::vector<WordOfText>& source,
                     AlignedRows rows = AlignedRows::written);

}  // namespace headscope::model
