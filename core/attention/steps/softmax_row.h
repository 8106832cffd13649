// Softmax row: the arithmetic of the `softmax` step on one row, which the step and what is shown
// about a row share, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/attention/mask.h"
#include "core/attention/steps/score_rows.h"

namespace headscope {

/// float32's smallest normal number. A weight below it is 0: of smaller ones float32 has fewer
/// digits, and processors take many times as long for them.
inline constexpr float kLeastWeight = std::numeric_limits<float>::min();
inline constexpr std::string_view kBelowLeastWeight =
    "below float32's smallest normal number (1.18e-38): 0";

/// What the softmax makes of an exponential and the sum of its row.
inline double softmaxShare(double exponential, double sum) {
  const double share = exponential / sum;
  return share < static_cast<double>(kLeastWeight) ? 0.0 : share;
}

/// Scores to weights, in place: exp(s − max) / Σ exp(s − max) over the allowed keys, 0 elsewhere
/// and where that is below kLeastWeight; a row without an allowed key is all 0.
void softmaxRow(std::span<float> row, const AllowedKeys& allowed);

/// The same of rows of scores that are `factor` times the raw ones, in the one sweep: the bits of
/// scaling them first, and of each row by itself. `allowed`: each row's keys; `weights` may be
/// `raw`. False where a scaled score, allowed or not, is NaN or infinite.
bool softmaxOfScaled(const ConstMatrixView& raw, float factor, const MatrixView& weights,
                     std::span<const AllowedKeys> allowed);

/// The loops of softmaxOfScaled as compiled for what this processor can do, the best first: all
/// give the same bits.
using SoftmaxLoops = bool (*)(const ConstMatrixView& raw, float factor, const MatrixView& weights,
                              const AllowedKeys* allowed);
std::vector<SoftmaxLoops> softmaxLoopsHere();

/// The keys that take part in a row's softmax: the allowed ones, or all where forbidden ones are
/// given 0 by mistake.
AllowedKeys softmaxKeys(const AttentionConfig& config, Index item, Index query);

/// Raw scores of a row to what a softmax is taken of; both may be the same memory.
void scoresForSoftmax(std::span<const float> raw, std::span<float> row,
                      const AttentionConfig& config, const Pins& pins, const RowPart& part);

}  // namespace headscope
