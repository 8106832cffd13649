// Tokenizer: text to the tokens a model was trained on and back, as Hugging Face's tokenizers do
// it: added tokens are found; the rest is normalized, split into words and tokenized by the model;
// special tokens are added around it. core/formats/tokenizer_files.h opens the tokenizer of a
// model's directory.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tokenizer/added_tokens.h"
#include "core/tokenizer/decoder.h"
#include "core/tokenizer/model.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/post_processor.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/vocabulary.h"

namespace headscope::tokenizer {

struct TokenizerParts {
  Vocabulary vocabulary;  // the model's own
  Model model;
  std::vector<AddedToken> added;
  std::vector<Normalizer> normalizers;
  std::vector<PreTokenizer> preTokenizers;
  std::vector<PostProcessor> postProcessors;
  std::vector<Decoder> decoders;
};

inline constexpr std::size_t kMostTokenizedBytes = std::size_t{64} << 20;

/// Immutable: several threads may use one.
class Tokenizer {
 public:
  /// Throws UserError for added tokens that contradict each other or the vocabulary.
  explicit Tokenizer(TokenizerParts parts);
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// The tokens of a text, which may be empty. Throws UserError for bytes that are not UTF-8 and
  /// for more than kMostTokenizedBytes; `what` names the flag or field.
  std::vector<Token> encode(std::string_view text, bool addSpecial = true,
                            std::string_view what = "text") const;
  /// The tokens of two texts, as the model takes pairs. Offsets are bytes of the token's own text.
  std::vector<Token> encodePair(std::string_view first, std::string_view second,
                                bool addSpecial = true, std::string_view what = "pair") const;

  /// The text of tokens. Unknown ids are omitted, and so are special tokens unless `keepSpecial`.
  std::string decode(const std::vector<TokenId>& ids, bool keepSpecial = false) const;

  /// A token as the vocabulary writes it: "Ġthe", "##ing". Null for an unknown id.
  const std::string* text(TokenId id) const;
  /// Its name: without CLIP's mark of a word's end, "</w>". Empty for an unknown id.
  std::string name(TokenId id) const;
  /// The bytes of text of a token: " the", "ing". They may be part of a character and so no UTF-8.
  /// Empty for an unknown id.
  std::string bytes(TokenId id) const;
  /// A token for display: a space as "·", a line break as "\\n", control characters and the bytes
  /// of a partial character as "<0x0A>"; the id itself where it is unknown.
  std::string inWords(TokenId id) const;
  std::optional<TokenId> id(std::string_view text) const;
  bool isSpecial(TokenId id) const;
  /// One more than the largest id.
  TokenId end() const { return end_; }
  /// The number of known ids.
  std::size_t size() const { return size_; }

 private:
  class Encoding;
  std::vector<Token> tokensOf(std::string_view text, int sequence, std::string_view what) const;
  const AddedToken* added(TokenId id) const;
  void requireKnown(const std::vector<Template::Part>& parts) const;

  TokenizerParts parts_;
  std::unordered_map<TokenId, std::size_t> addedById_;
  AddedTokenSearch inOriginal_, inNormalized_;
  TokenId end_ = 0;
  std::size_t size_ = 0;
};

/// Groups tokens that share a character of the text, since a character of several bytes may be
/// split over several tokens. Returns [first, last) of each group, groups of one token included.
/// Tokens of different texts and special tokens around them share no character.
std::vector<Span> groupsByCharacter(const std::vector<Token>& tokens);

}  // namespace headscope::tokenizer
