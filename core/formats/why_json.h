// Why JSON: a chain from a word, or from a score, back to what was read, as the command `why` and
// the window write it (schema headscope.why/1, listed in the manual page of `why`).
#pragma once

#include <vector>

#include "core/base/json.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/why_without.h"

namespace headscope::formats {

/// The tokenizers of the text whose words are predicted and, of two stacks, of its source; null:
/// ids name the tokens.
struct WhyNames {
  TokenizerPtr text, source;

  const TokenizerPtr& of(model::Stack stack) const {
    return stack == model::Stack::encoder ? source : text;
  }
};

/// The largest parts of each level without which a pass runs again, where a chain is written.
inline constexpr std::size_t kMeasuredParts = 8;

/// The pairs of a score, the largest first.
struct ScoreEntry {
  model::Writer query, key;
  double value = 0.0;
};
std::vector<ScoreEntry> sortedEntries(const model::ScoreParts& score);

Json whyJson(const model::WhyChain& chain, const WhyNames& names);

}  // namespace headscope::formats
