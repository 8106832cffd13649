#include "core/attention/relative_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace headscope {
namespace {

/// Near distances keep their own buckets; far ones share buckets whose widths grow by a constant
/// factor (make_log_bucket_position in DeBERTa's code).
Index bucketOf(Index distance, Index buckets, Index maxDistance) {
  const Index middle = buckets / 2;
  const Index apart = std::abs(distance);
  if (apart <= middle) return distance;
  const auto near = static_cast<double>(middle);
  const double grown = std::log(static_cast<double>(apart) / near) /
                       std::log(static_cast<double>(maxDistance - 1) / near) * (near - 1.0);
  const Index bucket = static_cast<Index>(std::ceil(grown)) + middle;
  return distance < 0 ? -bucket : bucket;
}

const float* rowIn(const std::vector<float>& table, Index head, Index rows, Index row, Index dK) {
  return table.empty() ? nullptr : table.data() + (head * rows + row) * dK;
}

}  // namespace

Index RelativeScores::rowOf(Index distance) const {
  const Settings& s = *settings_;
  const Index near = s.buckets > 0 ? bucketOf(distance, s.buckets, s.maxDistance) : distance;
  return std::clamp<Index>(near + s.span, 0, 2 * s.span - 1);
}

const float* RelativeScores::positionKey(Index head, Index row, Index dK) const {
  return rowIn(settings_->positionKeys, head, 2 * settings_->span, row, dK);
}

const float* RelativeScores::positionQuery(Index head, Index row, Index dK) const {
  return rowIn(settings_->positionQueries, head, 2 * settings_->span, row, dK);
}

}  // namespace headscope
