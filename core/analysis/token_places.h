// Token places: where each token of an item stands again, to find its duplicates and what followed
// it before.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/document.h"

namespace headscope {

class TokenPlaces {
 public:
  /// Tokens compare lower-cased; padding ("") stands nowhere.
  explicit TokenPlaces(const std::vector<std::string>& tokens);

  /// All places of the token that stands at `place`, in order.
  std::span<const Index> of(Index place) const {
    return places_[static_cast<std::size_t>(group_[static_cast<std::size_t>(place)])];
  }
  bool anyRepeats() const { return anyRepeats_; }

 private:
  std::vector<Index> group_;                // of each place
  std::vector<std::vector<Index>> places_;  // of each group
  bool anyRepeats_ = false;
};

/// Nothing in cross-attention and where the input has positions alone: a series, or tensors without
/// the tokens they are of.
std::optional<TokenPlaces> tokenPlaces(const Document& document, Index item);

}  // namespace headscope
