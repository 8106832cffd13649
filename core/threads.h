// Threads: how many pay for themselves, and OpenMP's thread count for as long as it is wanted.
#pragma once

#include "core/tensor.h"

namespace headscope {

/// Threads that pay for themselves: below some 130 MFLOP each, waiting for one another costs more
/// than the others save (bench/README.md), and many times more on a busy machine. At most `asked`;
/// 0: one per core.
int threadsFor(Index flops, int asked);

/// OpenMP's thread count for as long as this lives; it is the calling thread's own setting.
class ThreadCount {
 public:
  explicit ThreadCount(int threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace headscope
