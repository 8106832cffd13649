// Make document: builds a document from its parts, with weights by its initialiser and seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/attention/weights.h"
#include "core/document/fwd.h"
#include "core/input/input.h"

namespace headscope {

struct AttentionConfig;

/// Draws the weights of `init` and `seed` for the document's sizes. Designed and learned ones also
/// depend on its kind of input. Learned weights come with the program or are trained by this call
/// (training/learned_layer.h), which takes a second or two at d_model 512.
Weights drawWeightsFor(const Document& document, WeightInit init, std::uint64_t seed);

/// A function that replaces drawWeightsFor, for example to show progress.
using WeightMaker = std::function<Weights(const Document&, WeightInit, std::uint64_t seed)>;

/// makeDraft (document.h) with its weights by `make`. Throws UserError.
DocumentPtr makeDocument(std::string preset, AttentionConfig config, InputSource source,
                         Positions positions, WeightSource weights, Index memoryBudgetBytes,
                         bool fixedTokens = false, const WeightMaker& make = drawWeightsFor);

}  // namespace headscope
