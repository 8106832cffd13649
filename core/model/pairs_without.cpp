#include "core/model/pairs_without.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace headscope::model {
namespace {

/// The largest pairs of writers without which a pass can run.
std::vector<WithoutPair> largestPairs(const ModelTrace& trace, const ScoreParts& score,
                                      std::size_t most) {
  std::vector<WithoutPair> pairs;
  for (Index i = 0; i < score.values.rows; ++i) {
    const Writer& query = score.queries[static_cast<std::size_t>(i)];
    if (!canBeLeftOut(trace, query, true)) continue;
    for (Index j = 0; j < score.values.cols; ++j) {
      const Writer& key = score.keys[static_cast<std::size_t>(j)];
      if (canBeLeftOut(trace, key, true)) pairs.push_back({query, key, -score.values(i, j), 0.0});
    }
  }
  std::ranges::stable_sort(pairs, std::ranges::greater(),
                           [](const WithoutPair& pair) { return std::abs(pair.frozen); });
  pairs.resize(std::min(most, pairs.size()));
  return pairs;
}

}  // namespace

PairsWithout::PairsWithout(ModelTracePtr trace, const ScoreParts& score, std::size_t most,
                           const ExecutionContext& execution)
    : trace_(std::move(trace)),
      score_(score),
      base_(scoredPair(*trace_, score)),
      execution_(execution),
      pairs_(largestPairs(*trace_, score, most)) {
  for (const WithoutPair& pair : pairs_) {
    const std::size_t query = sideOf(pair.query, true);
    sidesOfPairs_.emplace_back(query, sideOf(pair.key, false));
  }
}

std::size_t PairsWithout::sideOf(const Writer& writer, bool ofQuery) {
  const LeftOut out{writer, ofQuery ? score_.query : score_.key};
  const auto found = std::ranges::find_if(
      sides_, [&](const LeftOutSide& side) { return side.out == out && side.ofQuery == ofQuery; });
  const auto index = static_cast<std::size_t>(found - sides_.begin());
  if (found == sides_.end()) sides_.push_back({out, ofQuery});
  return index;
}

bool PairsWithout::runUnit() {
  if (next_ >= sides_.size()) return true;
  LeftOutSide& side = sides_[next_];
  const ModelTracePtr without = passWithout(trace_, side.out, execution_);
  if (without == nullptr) return true;
  const ScoredPair changed = scoredPair(*without, score_);
  side.lost = side.ofQuery ? base_.query : base_.key;
  std::ranges::transform(side.lost, side.ofQuery ? changed.query : changed.key, side.lost.begin(),
                         std::minus());
  return ++next_ == sides_.size();
}

std::vector<WithoutPair> PairsWithout::found() const {
  if (next_ < sides_.size()) return {};
  std::vector<WithoutPair> pairs = pairs_;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::vector<double>& query = sides_[sidesOfPairs_[i].first].lost;
    const std::vector<double>& key = sides_[sidesOfPairs_[i].second].lost;
    pairs[i].total =
        -base_.factor * std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
  }
  return pairs;
}

const WithoutPair* changeWithout(const std::vector<WithoutPair>& pairs, const Writer& query,
                                 const Writer& key) {
  const auto found = std::ranges::find_if(
      pairs, [&](const WithoutPair& pair) { return pair.query == query && pair.key == key; });
  return found == pairs.end() ? nullptr : &*found;
}

std::vector<WithoutPair> pairsWithout(const ModelTracePtr& trace, const ScoreParts& score,
                                      std::size_t most, const ExecutionContext& execution) {
  PairsWithout pairs(trace, score, most, execution);
  while (!pairs.runUnit()) continue;
  return pairs.found();
}

}  // namespace headscope::model
