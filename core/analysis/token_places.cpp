#include "core/analysis/token_places.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <variant>

namespace headscope {
namespace {

bool hasTokens(const Document& document) {
  if (document.config.crossAttention()) return false;
  if (const auto* tensors = std::get_if<TensorSource>(document.source.get())) {
    return static_cast<Index>(tensors->tokens.size()) == document.config.seqLen;
  }
  return std::holds_alternative<TextSource>(*document.source);
}

}  // namespace

TokenPlaces::TokenPlaces(const std::vector<std::string>& tokens) : places_(1) {
  std::unordered_map<std::string, Index> groups;
  for (std::size_t place = 0; place < tokens.size(); ++place) {
    if (tokens[place].empty()) {
      group_.push_back(0);  // the group that stands nowhere
      continue;
    }
    const auto next = static_cast<Index>(places_.size());
    const auto [found, added] = groups.emplace(lowerCased(tokens[place]), next);
    if (added) places_.emplace_back();
    anyRepeats_ = anyRepeats_ || !added;
    group_.push_back(found->second);
    places_[static_cast<std::size_t>(found->second)].push_back(static_cast<Index>(place));
  }
}

std::optional<TokenPlaces> tokenPlaces(const Document& document, Index item) {
  if (!hasTokens(document)) return std::nullopt;
  return TokenPlaces(document.input->tokens[static_cast<std::size_t>(item)]);
}

}  // namespace headscope
