// The arithmetic of the `scale`, `mask` and `softmax` steps on parts of scores that are not stored,
// forward and backward. The steps themselves, the softmax sweep and LayerTensors::tile all call
// these, so a tile's bits are the pass's bits.
#pragma once

#include <optional>
#include <span>

#include "core/attention/pins.h"

namespace headscope {

class Gradients;

/// The place of a part of a row of scores: keys firstKey, firstKey + 1, … of one query of one head.
struct RowPart {
  Index item = 0;
  Index head = 0;
  Index query = 0;
  Index firstKey = 0;
};

/// Step `scale`: scales each raw score; pinned scores take their values. Both may be the same
/// memory.
void scaleScores(std::span<const float> raw, std::span<float> scores, const AttentionConfig& config,
                 const Pins& pins, const RowPart& part);

/// One score in double, for values that exceed float32.
double scaledScore(double raw, const AttentionConfig& config);
/// The factor of all scores, where the step multiplies them and does no more.
std::optional<float> onlyMultiplies(const AttentionConfig& config, const Pins& pins);
/// Returns whether finite raw scores may give scores that are not.
bool scalingMayOverflow(const AttentionConfig& config);

/// The number that step `mask` adds to the score of key `part.firstKey`: the pair's bias minus
/// ALiBi's penalty, or 0.
double scoreBias(const AttentionConfig& config, const RowPart& part);
/// Returns whether step `mask` changes nothing but the scores of forbidden keys, to −∞.
bool onlyForbids(const AttentionConfig& config, const Pins& pins);

/// Step `mask`, first half, in place: adds the pair bias and subtracts ALiBi's penalty, where they
/// are on.
void addScoreBias(std::span<float> scores, const AttentionConfig& config, const RowPart& part);

/// Step `mask`, in place: adds the bias, then sets forbidden keys to −∞ (0 with that
/// mistake).
void maskScores(std::span<float> scores, const AttentionConfig& config, const RowPart& part);

/// Step `softmax`, backward: a box of grad.masked_scores from grad.weights,
/// dS = A ∘ (dA − Σ A ∘ dA), the sum over the row (with that mistake: the column).
void softmaxGradients(const Gradients& gradients, const Box& box, const MatrixView& cells);

/// Step `mask`, backward, in place: no gradient where a key is not allowed.
void maskGradients(const AttentionConfig& config, const Box& box, const MatrixView& cells);

}  // namespace headscope
