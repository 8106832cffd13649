// Position patterns: where each head looks by places alone. All tokens of a text are replaced by
// one, whose embedding is the mean of the whole vocabulary, so that only positions (learned,
// rotated, biases) and masks tell its places apart; every layer reads that embedding directly,
// without what earlier layers add. A head that goes by position looks the same then; one that goes
// by words does not.
//
//   positionLooks(model, 32, {})->at(0).previous  // the weight of the first head on the token
//   before
#pragma once

#include <optional>
#include <vector>

#include "core/model/model_trace.h"

namespace headscope::model {

/// The mean weights of one head on some places, over the tokens from the third on.
struct PositionLook {
  HeadOfLayer head;
  double previous = 0.0, self = 0.0, first = 0.0;
};

/// Returns whether a model has such patterns: it reads one text, in one stack.
bool hasPositionPatterns(const Model& model);

/// The looks of all heads in a text of `tokens` equal tokens, at least 3. Returns nothing where
/// cancelled. Throws UserError for too few tokens or more than the model takes, and for a model
/// that reads images or has two stacks.
std::optional<std::vector<PositionLook>> positionLooks(const ModelPtr& model, Index tokens,
                                                       const ExecutionContext& execution);

/// The weights of one head in such a text, (T, T). Empty where cancelled. Throws UserError
/// likewise, and for a head that does not exist.
Tensor positionPattern(const ModelPtr& model, HeadOfLayer head, Index tokens,
                       const ExecutionContext& execution);

/// The share of each head's attention in a pass that positions alone account for, indexed by
/// placeOf: 1 − headDistance (pass_distance.h) to the pattern of as many equal tokens. Returns
/// nothing where cancelled. Throws UserError likewise.
std::optional<std::vector<double>> sharesByPosition(const ModelTrace& trace,
                                                    const ExecutionContext& execution);

}  // namespace headscope::model
