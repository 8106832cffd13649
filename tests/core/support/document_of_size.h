// A document of a given size, for tests of the cost of a pass or of a picture.
#pragma once

#include "core/document/document.h"
#include "core/editing/make_document.h"

namespace headscope::test {

/// Self-attention over `tokens` tokens of text; xavier weights, seed 1.
inline DocumentPtr documentOfSize(Index dModel, Index heads, Index tokens, Index memoryBudget) {
  AttentionConfig config;
  config.dModel = dModel;
  config.numHeads = config.numKvHeads = heads;
  config.seqLen = tokens;
  return makeDocument("", config, TextSource{{"The cat sat on the mat"}, {}}, Positions::named, {},
                      memoryBudget, true);
}

/// Returns a document with equal values but another copy of X: a pass over one after a pass over
/// the other runs every step, as after a new sentence.
inline DocumentPtr withNewInput(const DocumentPtr& document) {
  Document next = *document;
  Input input = *next.input;
  input.x = input.x.clone();
  next.input = std::make_shared<const Input>(std::move(input));
  return std::make_shared<const Document>(std::move(next));
}

}  // namespace headscope::test
