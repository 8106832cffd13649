#include "core/analysis/score_variance.h"

#include <cstddef>
#include <vector>

#include "core/weights/random.h"

namespace headscope {
namespace {

/// Mean and variance of values as they come (Welford 1962).
class RunningVariance {
 public:
  void add(double value) {
    ++count_;
    const double distance = value - mean_;
    mean_ += distance / static_cast<double>(count_);
    squares_ += distance * (value - mean_);
  }
  double value() const { return count_ > 0 ? squares_ / static_cast<double>(count_) : 0.0; }

 private:
  Index count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

double varianceOf(const Trace& trace, TensorId tensor, Index item, Index head,
                  const std::atomic<bool>* cancelled) {
  const AttentionConfig& c = trace.config();
  std::vector<float> row(static_cast<std::size_t>(c.keys()));
  RunningVariance variance;
  for (Index i = 0; i < c.seqLen && !(cancelled != nullptr && *cancelled); ++i) {
    trace.tile(tensor, item, head, i, 1, 0, c.keys(), row.data());
    for (const float score : row) variance.add(score);
  }
  return variance.value();
}

}  // namespace

std::vector<DrawnVariance> drawnVariances(std::uint64_t seed, Index pairs) {
  constexpr Index kLargest = 512;
  const RandomStream queries(seed, "variance q");
  const RandomStream keys(seed, "variance k");
  std::vector<DrawnVariance> found;
  std::uint64_t drawn = 0;
  for (Index dK = 1; dK <= kLargest; dK *= 2) {
    RunningVariance variance;
    for (Index pair = 0; pair < pairs; ++pair) {
      double product = 0.0;
      for (Index j = 0; j < dK; ++j, ++drawn) product += queries.normal(drawn) * keys.normal(drawn);
      variance.add(product);
    }
    found.push_back({dK, variance.value()});
  }
  return found;
}

HeadVariance headVariance(const Trace& trace, Index item, Index head,
                          const std::atomic<bool>* cancelled) {
  return {varianceOf(trace, TensorId::rawScores, item, head, cancelled),
          varianceOf(trace, TensorId::scores, item, head, cancelled)};
}

}  // namespace headscope
