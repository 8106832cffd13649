#include "core/tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/utf8.h"

namespace headscope::tokenizer {

Vocabulary::Vocabulary(std::vector<Entry> entries) {
  constexpr std::size_t kShown = 40;  // most bytes of a token in a message
  TokenId end = 0;
  for (const Entry& entry : entries) {
    if (entry.id < 0 || entry.id >= kMostIds) {
      throw UserError(fmt::format("the token \"{}\" has the id {}; ids are from 0 to {}",
                                  excerpt(entry.text, kShown), entry.id, kMostIds - 1));
    }
    end = std::max(end, entry.id + 1);
  }
  texts_.resize(static_cast<std::size_t>(end));
  known_.resize(texts_.size());
  ids_.reserve(entries.size());
  for (Entry& entry : entries) {
    const auto index = static_cast<std::size_t>(entry.id);
    if (known_[index]) {
      throw UserError(fmt::format("the tokens \"{}\" and \"{}\" have the same id {}",
                                  excerpt(texts_[index], kShown), excerpt(entry.text, kShown),
                                  entry.id));
    }
    texts_[index] = std::move(entry.text);
    known_[index] = true;
    const auto [other, added] = ids_.emplace(texts_[index], entry.id);
    if (!added) {
      throw UserError(fmt::format("the token \"{}\" appears twice, with the ids {} and {}",
                                  excerpt(texts_[index], kShown), other->second, entry.id));
    }
  }
}

}  // namespace headscope::tokenizer
