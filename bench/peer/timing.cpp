#include "bench/peer/timing.h"

#include <dnnl.h>
#include <omp.h>

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "core/base/execution.h"

namespace headscope::bench {

double bestMs(double seconds, const std::function<void()>& run) {
  double best = std::numeric_limits<double>::infinity();
  const double start = clockSeconds();
  for (int runs = 0; runs < 3 || clockSeconds() - start < seconds; ++runs) {
    const double before = clockSeconds();
    run();
    best = std::min(best, millisecondsSince(before));
  }
  return best;
}

namespace {

/// Libraries' own threads for a large product; where there are many, a thread takes its share of
/// them.
double bestGemm(const TimedProduct& p, int threads, double seconds) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor a = RowMajor::Random(p.rows, p.depth);
  const RowMajor b = RowMajor::Random(p.depth, p.cols);
  const RowMajor bt = b.transpose();
  const bool shared = p.count >= threads && p.count > 4;
  const int within = shared ? 1 : threads;
  const double times = static_cast<double>(p.count) / (shared ? threads : 1);
  omp_set_num_threads(within);
  RowMajor c(p.rows, p.cols);
  const auto oneDnn = [&](bool transposed) {
    return bestMs(seconds, [&] {
      dnnl_sgemm('N', transposed ? 'T' : 'N', p.rows, p.cols, p.depth, 1.0F, a.data(), p.depth,
                 transposed ? bt.data() : b.data(), transposed ? p.depth : p.cols, 0.0F, c.data(),
                 p.cols);
    });
  };
  const double eigen = bestMs(seconds, [&] { c.noalias() = a * b; });
  return times * std::min({eigen, oneDnn(true), oneDnn(false)});
}

}  // namespace

double bestGemmMs(const std::vector<TimedProduct>& products, int threads, double seconds) {
  const double each = seconds / (3.0 * static_cast<double>(products.size()));
  double ms = 0.0;
  for (const TimedProduct& p : products) ms += bestGemm(p, threads, each);
  return ms;
}

}  // namespace headscope::bench
