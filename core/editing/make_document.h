// Make document: a document from its parts, with the weights that its initialiser and seed give.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/document/document.h"

namespace headscope {

/// The weights that `init` and `seed` give for the document's sizes; designed and learned ones also
/// for its kind of input. Learned ones come with the program, or are learned by this call: that
/// takes as long as learning does (training/learned_layer.h), a second or two at d_model 512.
Weights drawWeightsFor(const Document& document, WeightInit init, std::uint64_t seed);

/// Gives a document's weights in place of drawWeightsFor, for example with progress.
using WeightMaker = std::function<Weights(const Document&, WeightInit, std::uint64_t seed)>;

/// makeDraft (document.h) with its weights by `make`. Throws UserError.
DocumentPtr makeDocument(std::string preset, AttentionConfig config, InputSource source,
                         Positions positions, WeightSource weights, Index memoryBudgetBytes,
                         bool fixedTokens = false, const WeightMaker& make = drawWeightsFor);

}  // namespace headscope
