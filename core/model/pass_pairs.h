// Pass pairs: which head and token of another pass is compared with each of a pass, where attention
// is compared: heads of the same number, as far as both passes have them, and tokens as
// text_alignment.h aligns them, of two models by what the tokens say.
#pragma once

#include <string>
#include <vector>

#include "core/attention/places.h"
#include "core/model/model_trace.h"

namespace headscope::model {

struct PassPairs {
  Index layers = 0, heads = 0;  // how many both passes have, from the first
  std::vector<Index> tokens;    // the other's place of each token, or kNoPartner
  std::vector<Index> memory;    // likewise of the source; empty without cross-attention
  std::string inWords = {};     // what is compared, where the passes differ in size; empty: all

  bool has(const HeadOfLayer& head) const { return head.layer < layers && head.head < heads; }
  /// The partners of the keys of a layer.
  const std::vector<Index>& keysOf(const ModelConfig& config, Index layer) const {
    return config.readsMemory(layer) ? memory : tokens;
  }
};

/// Why no token or head of two passes can be compared, in words; empty where some do.
std::string whyNotComparable(const ModelTrace& one, const ModelTrace& other);

/// The pairs of two passes that can be compared.
PassPairs pairsOf(const ModelTrace& one, const ModelTrace& other);

}  // namespace headscope::model
