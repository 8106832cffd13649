#include "core/steps/softmax_row.h"

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <limits>

namespace headscope {
namespace {

using Row = Eigen::Map<Eigen::ArrayXf>;

/// Below this from the row's maximum an exponential counts as 0 (e⁻⁸⁰ ≈ 2e-35).
constexpr float kUnderflow = -80.0F;

/// The largest allowed score of a row; the row has at least one allowed key.
float rowMaximum(std::span<const float> scores, const AllowedKeys& allowed) {
  float maximum = -std::numeric_limits<float>::infinity();
  for (Index j = allowed.begin; j < allowed.end; ++j) {
    if (allowed(j)) maximum = std::max(maximum, scores[static_cast<std::size_t>(j)]);
  }
  return maximum;
}

}  // namespace

void softmaxRow(std::span<float> row, const AllowedKeys& allowed) {
  const auto keys = static_cast<Index>(row.size());
  Row whole(row.data(), keys);
  if (allowed.count() == 0) {
    whole.setZero();
    return;
  }
  const float maximum = rowMaximum(row, allowed);
  whole.head(allowed.begin).setZero();
  whole.tail(keys - allowed.end).setZero();
  Row part(row.data() + allowed.begin, allowed.end - allowed.begin);
  part -= maximum;
  // exp never reaches 0 in Eigen's packet lanes, so tiny ones are set; min keeps forbidden scores,
  // which may lie above the maximum, from overflowing before they are cleared
  part = (part < kUnderflow).select(0.0F, part.min(0.0F).exp());
  if (allowed.painted != nullptr) {
    for (Index j = allowed.begin; j < allowed.end; ++j) {
      if (!allowed(j)) row[static_cast<std::size_t>(j)] = 0.0F;
    }
  }
  part /= part.sum();
}

AllowedKeys softmaxKeys(const AttentionConfig& config, Index item, Index query) {
  if (config.mistakes.zeroForMasked) return {0, config.keys(), nullptr};
  return allowedKeys(config.mask, item, query, config.keys());
}

void scoresForSoftmax(std::span<float> row, const Document& document, const RowPart& part) {
  scaleScores(row, document, part);
  if (document.config.mistakes.zeroForMasked) maskScores(row, document, part);
}

}  // namespace headscope
