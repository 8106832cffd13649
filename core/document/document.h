// Document: everything a pass is computed from (configuration, input, weights, pins) as one
// immutable value. An Edit (edit.h) makes the next one; two documents share their equal parts.
#pragma once

#include <memory>
#include <string>

#include "core/attention/config.h"
#include "core/attention/pins.h"
#include "core/attention/tensor_id.h"
#include "core/attention/weights.h"
#include "core/document/fwd.h"
#include "core/input/input.h"

namespace headscope {

struct TrainingDomain;

struct Document {
  std::string preset;  // the preset that it started from; empty: none
  AttentionConfig config;
  Positions positions = Positions::named;
  /// The scores that a pass stores; set by the memory budget.
  ScoreStorage scoreStorage = ScoreStorage::all;
  bool inputEdited = false;    // cells of X or the memory were typed over the source's
  bool weightsEdited = false;  // likewise, over the weights of weightSource
  std::shared_ptr<const InputSource> source;
  std::shared_ptr<const Input> input;
  WeightSource weightSource;
  Weights weights;
  Pins pins;
};

/// The domain that weights of the document are trained on; sentences where its input is numeric.
TrainingDomain trainingDomainOf(const Document& document);

/// A document whose weights are still empty: takes T, M and B from the source (as `fitTo`) unless
/// `fixedTokens`, validates, checks the budget and embeds the input. Throws UserError.
Document makeDraft(std::string preset, AttentionConfig config, InputSource source,
                   Positions positions, WeightSource weights, Index memoryBudgetBytes,
                   bool fixedTokens = false);

}  // namespace headscope
