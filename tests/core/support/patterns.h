// Patterns: passes whose attention is written down by hand, every weight pinned.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/core/support/cases.h"

namespace headscope::test {

/// A copy of the document whose tokens, in every item, have these names.
inline DocumentPtr withTokens(const DocumentPtr& document, const std::vector<std::string>& tokens) {
  return changed(document, [&](Document& d) {
    TensorSource source = std::get<TensorSource>(*d.source);
    source.tokens = tokens;
    d.source = std::make_shared<const InputSource>(source);
    Input input = *d.input;
    input.tokens.assign(input.tokens.size(), tokens);
    d.input = std::make_shared<const Input>(std::move(input));
  });
}

/// Tokens that repeat seven words in mixed case.
inline std::vector<std::string> repeatingTokens(Index count) {
  const std::vector<std::string> words{"The", "cat", "the", "SAT", "Cat", "ÄRGER", "ärger"};
  std::vector<std::string> tokens;
  for (Index i = 0; i < count; ++i) {
    tokens.push_back(words[static_cast<std::size_t>(i) % words.size()]);
  }
  return tokens;
}

/// Weight of head h on key j of query i.
using Pattern = std::function<float(Index h, Index i, Index j)>;

/// A pass whose item 0 has these weights.
inline TracePtr patterned(const AttentionConfig& config, const Pattern& pattern,
                          const std::vector<std::string>& tokens = {}) {
  std::vector<Pin> pins;
  for (Index h = 0; h < config.numHeads; ++h) {
    for (Index i = 0; i < config.seqLen; ++i) {
      for (Index j = 0; j < config.keys(); ++j) {
        pins.push_back({{TensorId::weights, 0, h, i, j}, pattern(h, i, j)});
      }
    }
  }
  DocumentPtr document = randomDocument(config);
  if (!tokens.empty()) document = withTokens(document, tokens);
  return runAttention(
      changed(document, [&](Document& d) { d.pins = Pins::from(std::move(pins)); }));
}

inline float identity(Index, Index i, Index j) { return i == j ? 1.0F : 0.0F; }
inline float previous(Index, Index i, Index j) { return j == (i > 0 ? i - 1 : 0) ? 1.0F : 0.0F; }
inline float firstColumn(Index, Index, Index j) { return j == 0 ? 1.0F : 0.0F; }

}  // namespace headscope::test
