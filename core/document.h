// Document: everything a pass is computed from (configuration, input, weights, pins) as one
// immutable value. An Edit (edit.h) makes the next one; what two documents have in common they
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/config.h"
#include "core/input/input.h"
#include "core/pins.h"
#include "core/tensor_id.h"
#include "core/training/material.h"
#include "core/weights/weights.h"

namespace headscope {

struct Document {
  std::string preset;  // the preset it started from; empty after none
  AttentionConfig config;
  Positions positions = Positions::named;
  ScoresHeld scoresHeld = ScoresHeld::all;  // of what a pass keeps: the budget's to say
  std::shared_ptr<const InputSource> source;
  std::shared_ptr<const Input> input;
  bool inputEdited = false;  // cells of X or the memory were typed over the source's
  WeightSource weightSource;
  bool weightsEdited = false;  // likewise, over what weightSource gave
  Weights weights;
  Pins pins;
};

using DocumentPtr = std::shared_ptr<const Document>;

/// What learned weights of the document learn from; of an input that is given as numbers, from
/// which there is nothing to learn: sentences.
training::Material materialOf(const Document& document);

/// The weights that `init` and `seed` give for the document's sizes; designed and learned ones also
/// for its kind of input. Learned ones come with the program or are learned now: that takes as long
/// as learning does (training/learned_layer.h), a second or two at d_model 512.
Weights drawWeightsFor(const Document& document, WeightInit init, std::uint64_t seed);
using WeightMaker = std::function<Weights(const Document&, WeightInit, std::uint64_t seed)>;

/// A document from its parts: takes T, M and B from the source (as `fitTo`) unless `fixedTokens`,
/// validates, checks the budget, embeds the input and draws the weights (by `make`, which may show
/// its progress). Throws UserError.
DocumentPtr makeDocument(std::string preset, AttentionConfig config, InputSource source,
                         Positions positions, WeightSource weights, Index memoryBudgetBytes,
                         bool fixedTokens = false, const WeightMaker& make = drawWeightsFor);

}  // namespace headscope
