#include "core/model/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::model {
namespace {

/// What exp(logit − largest) is divided by to be a probability.
struct SoftmaxOver {
  double largest, total;

  explicit SoftmaxOver(std::span<const float> logits)
      : largest(*std::max_element(logits.begin(), logits.end())), total(0.0) {
    for (const float v : logits) total += std::exp(static_cast<double>(v) - largest);
  }
  Prediction of(Index id, float logit) const {
    return {id, logit, std::exp(static_cast<double>(logit) - largest) / total};
  }
};

/// Whether token a stands before token b.
bool standsBefore(std::span<const float> logits, Index a, Index b) {
  const float ofA = logits[static_cast<std::size_t>(a)], ofB = logits[static_cast<std::size_t>(b)];
  return ofA != ofB ? ofA > ofB : a < b;
}

}  // namespace

std::vector<Prediction> mostProbable(std::span<const float> logits, std::size_t count) {
  const SoftmaxOver softmax(logits);
  std::vector<Index> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](Index a, Index b) { return standsBefore(logits, a, b); });
  std::vector<Prediction> best;
  for (const Index id : std::span(order).first(count)) {
    best.push_back(softmax.of(id, logits[static_cast<std::size_t>(id)]));
  }
  return best;
}

Standing standingOf(std::span<const float> logits, Index id) {
  Standing found{SoftmaxOver(logits).of(id, logits[static_cast<std::size_t>(id)])};
  for (Index other = 0; other < std::ssize(logits); ++other) {
    if (standsBefore(logits, other, id)) ++found.rank;
  }
  return found;
}

}  // namespace headscope::model
