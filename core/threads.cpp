#include "core/threads.h"

#include <omp.h>

#include <algorithm>

namespace headscope {

int threadsFor(Index flops, int asked) {
  constexpr Index kFlopsPerThread = 128'000'000;
  const int most = asked > 0 ? asked : omp_get_num_procs();
  return static_cast<int>(std::clamp<Index>(flops / kFlopsPerThread, 1, most));
}

ThreadCount::ThreadCount(int threads) : before_(omp_get_max_threads()) {
  omp_set_num_threads(threads);
}

ThreadCount::~ThreadCount() { omp_set_num_threads(before_); }

}  // namespace headscope
