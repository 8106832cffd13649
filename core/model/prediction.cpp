#include "core/model/prediction.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace headscope::model {
namespace {

/// Returns whether token a ranks before token b.
bool standsBefore(std::span<const float> logits, Index a, Index b) {
  const float ofA = logits[static_cast<std::size_t>(a)], ofB = logits[static_cast<std::size_t>(b)];
  return ofA != ofB ? ofA > ofB : a < b;
}

}  // namespace

RowProbabilities::RowProbabilities(std::span<const float> logits)
    : logits_(logits), largest_(*std::max_element(logits.begin(), logits.end())) {
  const Eigen::Map<const Eigen::ArrayXf> values(logits_.data(), std::ssize(logits_));
  total_ = (values.cast<double>() - largest_).exp().sum();
}

TokenProbability RowProbabilities::operator()(Index id) const {
  const double logit = logits_[static_cast<std::size_t>(id)];
  return {id, logit, std::exp(logit - largest_) / total_};
}

std::vector<TokenProbability> mostProbable(std::span<const float> logits, std::size_t count) {
  const RowProbabilities probabilities(logits);
  const auto before = [&](Index a, Index b) { return standsBefore(logits, a, b); };
  std::vector<Index> ids;  // the best so far as a heap, the worst of them first
  for (Index id = 0; id < std::ssize(logits); ++id) {
    const bool full = ids.size() == count;
    if (full && (ids.empty() || !before(id, ids.front()))) continue;
    if (full) {
      std::pop_heap(ids.begin(), ids.end(), before);
      ids.pop_back();
    }
    ids.push_back(id);
    std::push_heap(ids.begin(), ids.end(), before);
  }
  std::sort_heap(ids.begin(), ids.end(), before);
  std::vector<TokenProbability> best;
  for (const Index id : ids) best.push_back(probabilities(id));
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
