#include "core/model/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::model {
namespace {

/// Whether token a stands before token b.
bool standsBefore(std::span<const float> logits, Index a, Index b) {
  const float ofA = logits[static_cast<std::size_t>(a)], ofB = logits[static_cast<std::size_t>(b)];
  return ofA != ofB ? ofA > ofB : a < b;
}

}  // namespace

RowProbabilities::RowProbabilities(std::span<const float> logits)
    : logits_(logits), largest_(*std::max_element(logits.begin(), logits.end())) {
  for (const float v : logits_) total_ += std::exp(static_cast<double>(v) - largest_);
}

Prediction RowProbabilities::operator()(Index id) const {
  const double logit = logits_[static_cast<std::size_t>(id)];
  return {id, logit, std::exp(logit - largest_) / total_};
}

std::vector<Prediction> mostProbable(std::span<const float> logits, std::size_t count) {
  const RowProbabilities probabilities(logits);
  std::vector<Index> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](Index a, Index b) { return standsBefore(logits, a, b); });
  std::vector<Prediction> best;
  for (const Index id : std::span(order).first(count)) {
    best.push_back(probabilities(id));
  }
  return best;
}

Standing standingOf(std::span<const float> logits, Index id) {
  Standing found{RowProbabilities(logits)(id)};
  for (Index other = 0; other < std::ssize(logits); ++other) {
    if (standsBefore(logits, other, id)) ++found.rank;
  }
  return found;
}

}  // namespace headscope::model
