#include "core/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/tokenizer/byte_characters.h"

namespace headscope::tokenizer {
namespace {

constexpr std::size_t kShownBytes = 40;  // most bytes of a token in a message
constexpr std::size_t kMostAddedBytes = 4096;

void requireAdded(const AddedToken& token, const Vocabulary& vocabulary) {
  const std::string shown = excerpt(token.content, kShownBytes);
  if (token.content.empty()) {
    throw UserError(fmt::format("the added token with the id {} is empty", token.id));
  }
  if (token.content.size() > kMostAddedBytes) {
    throw UserError(fmt::format("the added token \"{}\" has {} bytes; the limit is {}", shown,
                                token.content.size(), kMostAddedBytes));
  }
  if (invalidUtf8At(token.content)) {
    throw UserError(fmt::format("the added token with the id {} is not UTF-8", token.id));
  }
  if (token.id < 0 || token.id >= kMostIds) {
    throw UserError(fmt::format("the added token \"{}\" has the id {}; ids are from 0 to {}", shown,
                                token.id, kMostIds - 1));
  }
  if (const auto known = vocabulary.id(token.content); known && *known != token.id) {
    throw UserError(fmt::format("the added token \"{}\" has the id {}, and {} in the vocabulary",
                                shown, token.id, *known));
  }
  if (const std::string* known = vocabulary.text(token.id); known && *known != token.content) {
    throw UserError(
        fmt::format("the added token \"{}\" has the id {}, which the vocabulary gives \"{}\"",
                    shown, token.id, excerpt(*known, kShownBytes)));
  }
}

AddedTokenSearch searchFor(const std::vector<AddedToken>& tokens, bool normalized,
                           const std::vector<Normalizer>& normalizers) {
  std::vector<const AddedToken*> wanted;
  std::vector<std::string> contents;
  for (const bool special : {true, false}) {  // special tokens win over equal ones
    for (const AddedToken& token : tokens) {
      if (token.normalized != normalized || token.special != special) continue;
      wanted.push_back(&token);
      contents.push_back(token.content);
      if (!normalized) continue;
      AlignedText written =
          AlignedText::of(token.content, {0, static_cast<std::uint32_t>(token.content.size())});
      normalize(normalizers, written);
      contents.back() = std::move(written.text);
    }
  }
  return {wanted, contents};
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
  end_ = parts_.vocabulary.end();
  size_ = parts_.vocabulary.size();
  std::unordered_map<std::string_view, TokenId> contents;
  for (std::size_t i = 0; i < parts_.added.size(); ++i) {
    const AddedToken& token = parts_.added[i];
    requireAdded(token, parts_.vocabulary);
    const auto [byId, newId] = addedById_.emplace(token.id, i);
    const auto [byText, newText] = contents.emplace(token.content, token.id);
    if (!newId || !newText) {
      throw UserError(fmt::format(
          "the added token \"{}\" with the id {} has the id or the text of another, \"{}\"",
          excerpt(token.content, kShownBytes), token.id,
          excerpt(parts_.added[addedById_.at(newId ? byText->second : token.id)].content,
                  kShownBytes)));
    }
    end_ = std::max(end_, token.id + 1);
    if (parts_.vocabulary.text(token.id) == nullptr) ++size_;
  }
  for (const PostProcessor& step : parts_.postProcessors) {
    if (const auto* around = std::get_if<Template>(&step)) {
      requireKnown(around->single);
      requireKnown(around->pair);
    }
  }
  inOriginal_ = searchFor(parts_.added, false, parts_.normalizers);
  inNormalized_ = searchFor(parts_.added, true, parts_.normalizers);
}

void Tokenizer::requireKnown(const std::vector<Template::Part>& parts) const {
  for (const Template::Part& part : parts) {
    for (const TokenId id : part.ids) {
      if (text(id) != nullptr) continue;
      throw UserError(fmt::format(
          "post_processor adds the id {} to texts, which is not in the vocabulary", id));
    }
  }
}

/// Tokenizes one text.
class Tokenizer::Encoding {
 public:
  Encoding(const TokenizerParts& parts, std::string_view text, int sequence)
      : parts_(parts), text_(text), sequence_(sequence) {}

  std::vector<Token> run(const AddedTokenSearch& inOriginal, const AddedTokenSearch& inNormalized) {
    const Span whole{0, static_cast<std::uint32_t>(text_.size())};
    between(
        inOriginal.in(text_), whole, [](Span span) { return span; },
        [&](Span part) { normalizedPart(part, inNormalized); });
    return std::move(tokens_);
  }

 private:
  /// Visits the added tokens that were found, and the text between them, in order.
  template <typename Origin, typename Between>
  void between(const std::vector<AddedTokenSearch::Found>& found, Span whole, Origin origin,
               Between take) {
    std::uint32_t at = whole.begin;
    for (const auto& [span, token] : found) {
      if (at < span.begin) take(Span{at, span.begin});
      add(token->id, origin(span));
      at = span.end;
    }
    if (at < whole.end) take(Span{at, whole.end});
  }

  void add(TokenId id, Span offsets) { tokens_.push_back({id, offsets, sequence_, sequence_}); }

  void normalizedPart(Span part, const AddedTokenSearch& inNormalized) {
    AlignedText text = AlignedText::of(text_, part);
    normalize(parts_.normalizers, text);
    const auto found = inNormalized.in(text.text);
    if (found.empty()) return words(Words(std::move(text)));
    const Span whole{0, static_cast<std::uint32_t>(text.text.size())};
    between(
        found, whole, [&](Span span) { return text.origin(span); },
        [&](Span span) {
          AlignedText own;
          own.append(text, span);
          words(Words(std::move(own)));
        });
  }

  void words(Words cut) {
    preTokenize(parts_.preTokenizers, cut);
    for (const Span& word : cut.words) {
      for (const Piece& piece : piecesOf(word.of(cut.text.text))) {
        // a suffix that the model adds to a word ("</w>") is no part of the text
        const std::uint32_t end = std::min(piece.span.end, word.size());
        add(piece.id, cut.text.origin({word.begin + piece.span.begin, word.begin + end}));
      }
    }
  }

  /// Returns the pieces of a word. A repeated word is not tokenized again.
  const std::vector<Piece>& piecesOf(std::string_view word) {
    constexpr std::size_t kMostKept = 1 << 16;
    constexpr std::size_t kLongestKept = 256;
    const bool keeps = word.size() <= kLongestKept;
    if (keeps) {
      if (const auto found = known_.find(word); found != known_.end()) return found->second;
    }
    pieces_.clear();
    std::visit([&](const auto& model) { model.tokenize(parts_.vocabulary, word, pieces_); },
               parts_.model);
    if (keeps && known_.size() < kMostKept) known_.emplace(word, pieces_);
    return pieces_;
  }

  struct HashOfText {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  const TokenizerParts& parts_;
  std::string_view text_;
  int sequence_;
  std::vector<Token> tokens_;
  std::vector<Piece> pieces_;
  std::unordered_map<std::string, std::vector<Piece>, HashOfText, std::equal_to<>> known_;
};

std::vector<Token> Tokenizer::tokensOf(std::string_view text, int sequence,
                                       std::string_view what) const {
  if (text.size() > kMostTokenizedBytes) {
    throw UserError(fmt::format("{} has {} MiB; the limit is {} MiB, so shorten it", what,
                                text.size() >> 20, kMostTokenizedBytes >> 20));
  }
  if (const auto position = invalidUtf8At(text)) {
    throw UserError(
        fmt::format("{} is not UTF-8: byte {} cannot be read; save it as UTF-8", what, *position));
  }
  return Encoding(parts_, text, sequence).run(inOriginal_, inNormalized_);
}

std::vector<Token> Tokenizer::encode(std::string_view text, bool addSpecial,
                                     std::string_view what) const {
  return postProcess(parts_.postProcessors, {text}, {tokensOf(text, 0, what)}, addSpecial,
                     [&](const Token& token) {
                       return added(token.id) ? token.offsets.of(text) : *this->text(token.id);
                     });
}

std::vector<Token> Tokenizer::encodePair(std::string_view first, std::string_view second,
                                         bool addSpecial, std::string_view what) const {
  return postProcess(parts_.postProcessors, {first, second},
                     {tokensOf(first, 0, what), tokensOf(second, 1, what)}, addSpecial,
                     [&](const Token& token) {
                       if (added(token.id) == nullptr) return std::string_view(*text(token.id));
                       return token.offsets.of(token.sequence == 0 ? first : second);
                     });
}

namespace {

/// The mark of a word's last token, "</w>", where the decoder knows bytes alone, as CLIP's.
std::string_view markOfEnd(const TokenizerParts& parts) {
  const auto* bpe = std::get_if<Bpe>(&parts.model);
  const bool bytes = parts.decoders.size() == 1 &&
                     std::holds_alternative<ByteLevelDecoder>(parts.decoders.front());
  return bpe != nullptr && bytes ? std::string_view(bpe->settings().endSuffix) : std::string_view();
}

/// Removes the mark. Returns whether it was there.
bool removeMark(std::string& token, std::string_view mark) {
  const bool marked = !mark.empty() && token.size() > mark.size() && token.ends_with(mark);
  if (marked) token.resize(token.size() - mark.size());
  return marked;
}

}  // namespace

std::string Tokenizer::decode(const std::vector<TokenId>& ids, bool keepSpecial) const {
  const std::string_view mark = markOfEnd(parts_);
  std::vector<std::string> texts;
  for (const TokenId id : ids) {
    const std::string* written = text(id);
    if (written == nullptr || (isSpecial(id) && !keepSpecial)) continue;
    texts.push_back(*written);
    // a space behind every word, as transformers decodes CLIP's tokens
    if (removeMark(texts.back(), mark)) texts.back() += byteCharacter(' ');
  }
  std::string text = tokenizer::decode(parts_.decoders, std::move(texts));
  if (!mark.empty() && text.ends_with(' ')) text.pop_back();
  return text;
}

const AddedToken* Tokenizer::added(TokenId id) const {
  const auto found = addedById_.find(id);
  return found == addedById_.end() ? nullptr : &parts_.added[found->second];
}

const std::string* Tokenizer::text(TokenId id) const {
  const AddedToken* token = added(id);
  return token != nullptr ? &token->content : parts_.vocabulary.text(id);
}

std::string Tokenizer::name(TokenId id) const {
  const std::string* written = text(id);
  std::string name = written != nullptr ? *written : std::string();
  if (added(id) == nullptr) removeMark(name, markOfEnd(parts_));
  return name;
}

std::string Tokenizer::inWords(TokenId id) const {
  if (text(id) == nullptr) return std::to_string(id);
  const std::string all = bytes(id);
  const bool whole = !invalidUtf8At(all);
  std::string words;
  for (const char c : all) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      words += "·";
    } else if (c == '\n') {
      words += "\\n";
    } else if (byte < 0x20 || byte == 0x7F || (!whole && byte >= 0x80)) {
      words += fmt::format("<0x{:02X}>", byte);
    } else {
      words += c;
    }
  }
  return words;
}

std::string Tokenizer::bytes(TokenId id) const {
  const std::string* written = text(id);
  if (written == nullptr) return {};
  if (added(id) != nullptr) return *written;
  std::string result = name(id);
  for (const Decoder& step : parts_.decoders) {
    if (std::holds_alternative<ByteLevelDecoder>(step)) {
      return bytesOfCharacters(result).value_or(result);
    }
    if (std::holds_alternative<ByteFallbackDecoder>(step)) {
      if (const auto byte = byteOfToken(result)) return {static_cast<char>(*byte)};
    } else if (const auto* pieces = std::get_if<WordPieceDecoder>(&step)) {
      if (result.starts_with(pieces->prefix)) result.erase(0, pieces->prefix.size());
    } else if (const auto* space = std::get_if<MetaspaceDecoder>(&step)) {
      // as if after another token: at a text's start the decoder drops the added space
      result = tokenizer::decode({MetaspaceDecoder{space->replacement, false}}, {result});
    } else if (std::holds_alternative<ReplaceDecoder>(step) ||
               std::holds_alternative<BpeDecoder>(step)) {
      result = tokenizer::decode({step}, {result});
    }
  }
  return result;
}

std::optional<TokenId> Tokenizer::id(std::string_view text) const {
  for (const AddedToken& token : parts_.added) {
    if (token.content == text) return token.id;
  }
  return parts_.vocabulary.id(text);
}

bool Tokenizer::isSpecial(TokenId id) const {
  const AddedToken* token = added(id);
  return token != nullptr && token->special;
}

std::vector<Span> groupsByCharacter(const std::vector<Token>& tokens) {
  std::vector<Span> groups;
  std::uint32_t end = 0;  // end of the characters of the newest group
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool shares = !groups.empty() && token.sequence >= 0 &&
                        token.sequence == tokens[i - 1].sequence && token.offsets.begin < end &&
                        token.offsets.size() > 0;
    if (shares) {
      groups.back().end = i + 1;
      end = std::max(end, token.offsets.end);
    } else {
      groups.push_back({i, i + 1});
      end = token.offsets.end;
    }
  }
  return groups;
}

}  // namespace headscope::tokenizer
