// Softmax row: the arithmetic of the `softmax` step on one row. The step and the displays of a row
// share it, bit for bit.
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

/// float32's smallest normal number. A weight below it becomes 0: smaller numbers have fewer digits
/// in float32, and processors are many times slower with them.
inline constexpr float kLeastWeight = std::numeric_limits<float>::min();
inline constexpr std::string_view kBelowLeastWeight =
    "below float32's smallest normal number (1.18e-38): 0";

/// The weight of a cell: its exponential divided by the sum of its row; 0 below kLeastWeight.
inline double softmaxShare(double exponential, double sum) {
  const double share = exponential / sum;
  return share < static_cast<double>(kLeastWeight) ? 0.0 : share;
}

/// Replaces scores by weights: exp(s − max) / Σ exp(s − max) over the allowed keys; 0 elsewhere and
/// below kLeastWeight. A row without an allowed key becomes all 0.
void softmaxRow(std::span<float> row, const AllowedKeys& allowed);

/// softmaxRow with a sink (Xiao et al. 2023; gpt-oss): one score more, without a key, in the sum
/// Σ exp(s − max). The weights then add up to less than 1.
void softmaxRow(std::span<float> row, const AllowedKeys& allowed, float sink);
/// softmaxRow with the sink of a head, where the configuration has sinks.
void softmaxOfHead(std::span<float> row, const AllowedKeys& allowed, const AttentionConfig& config,
                   Index head);

/// Computes weights from rows of raw scores times `factor` in one sweep, with the bits of scaling
/// first and then softmaxRow on each row. `allowed`: each row's keys; `weights` may be `raw`. False
/// where a scaled score, allowed or not, is NaN or infinite.
bool softmaxOfScaled(const ConstMatrixView& raw, float factor, const MatrixView& weights,
                     std::span<const AllowedKeys> allowed);

/// The variants of softmaxOfScaled that this processor can run, the fastest first. All give the
/// same bits.
using SoftmaxLoops = bool (*)(const ConstMatrixView& raw, float factor, const MatrixView& weights,
                              const AllowedKeys* allowed);
std::vector<SoftmaxLoops> softmaxLoopsHere();

/// The keys that take part in a row's softmax: the allowed ones, or all keys where the mistake of
/// zeros for masked scores is on.
AllowedKeys softmaxKeys(const AttentionConfig& config, Index item, Index query);

/// Converts the raw scores of a row to the input of its softmax. Both may be the same memory.
void scoresForSoftmax(std::span<const float> raw, std::span<float> row,
                      const AttentionConfig& config, const Pins& pins, const RowPart& part);

}  // namespace headscope
