// Vocabulary: the spellings of a model's tokens and their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope::tokenizer {

using TokenId = std::int32_t;

/// Larger than every known vocabulary; a larger id means a damaged file.
inline constexpr TokenId kMostIds = TokenId{1} << 22;

class Vocabulary {
 public:
  struct Entry {
    std::string text;
    TokenId id;
  };

  Vocabulary() = default;
  /// Throws UserError for an id below 0 or from kMostIds on, and where two entries share a text or
  /// an id: "the tokens "a" and "b" have the same id 7".
  explicit Vocabulary(std::vector<Entry> entries);
  Vocabulary(const Vocabulary&) = delete;  // ids_ refers to its own texts_
  Vocabulary& operator=(const Vocabulary&) = delete;
  Vocabulary(Vocabulary&&) noexcept = default;
  Vocabulary& operator=(Vocabulary&&) noexcept = default;
  ~Vocabulary() = default;

  std::optional<TokenId> id(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Null for an unknown id.
  const std::string* text(TokenId id) const {
    const auto index = static_cast<std::size_t>(id);
    return id < 0 || index >= texts_.size() || !known_[index] ? nullptr : &texts_[index];
  }
  /// One more than the largest id.
  TokenId end() const { return static_cast<TokenId>(texts_.size()); }
  std::size_t size() const { return ids_.size(); }

 private:
  std::vector<std::string> texts_;  // by id
  std::vector<bool> known_;
  std::unordered_map<std::string_view, TokenId> ids_;
};

}  // namespace headscope::tokenizer
