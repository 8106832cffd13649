// A document of a given size, for what counts a pass's or a picture's cost.
#pragma once

#include "core/document.h"

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

}  // namespace headscope::test
