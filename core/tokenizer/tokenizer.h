// Tokenizer: text to the tokens a model was trained on and back, as Hugging Face's tokenizers do
// it: added tokens are found, the rest normalized, cut into words, given to the model, and special
// tokens put around it. core/formats/tokenizer_files.h opens the one of a model's directory.
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

  /// The tokens of a text; any, also an empty one. Throws UserError for bytes that are not UTF-8
  /// and for more than kMostTokenizedBytes; `what` names the flag or field.
  std::vector<Token> encode(std::string_view text, bool addSpecial = true,
                            std::string_view what = "text") const;
  /// Of two texts, as the model takes pairs. Offsets are those of each one's own text.
  std::vector<Token> encodePair(std::string_view first, std::string_view second,
                                bool addSpecial = true, std::string_view what = "pair") const;

  /// The text of tokens; ids that are no token's are left out, and special ones unless they are
  /// kept.
  std::string decode(const std::vector<TokenId>& ids, bool keepSpecial = false) const;

  /// As the vocabulary writes it: "Ġthe", "##ing". Nothing where the id is no token's.
  const std::string* text(TokenId id) const;
  /// The bytes of text it stands for: " the", "ing"; of a character's part perhaps no UTF-8. None
  /// where the id is no token's.
  std::string bytes(TokenId id) const;
  /// To be shown: a space as "·", a line break as "\\n", bytes as "<0x0A>" where they are a part of
  /// a character or have no letter; the id itself where it is no token's.
  std::string inWords(TokenId id) const;
  std::optional<TokenId> id(std::string_view text) const;
  bool isSpecial(TokenId id) const;
  /// One more than the largest id.
  TokenId end() const { return end_; }
  /// Ids that are a token's.
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

/// Runs of tokens that share a character of the text, as a character of several bytes is shared by
/// the tokens of those: [first, last) of each run, alone ones too. Tokens of different texts and
/// those put around them share none.
std::vector<Span> groupsByCharacter(const std::vector<Token>& tokens);

}  // namespace headscope::tokenizer
