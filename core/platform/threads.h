// Threads: distributes the pieces of a loop over as many of the machine's cores as pay off.
#pragma once

#include <cstdint>

namespace headscope {

/// The least work of a thread: about 20 µs, as starting a loop takes a few µs (bench/README.md).
inline constexpr std::int64_t kFlopsPerThread = 4'000'000;

/// The number of threads that pay off, at most `asked`; 0: one per core, in a browser one less.
int threadsFor(std::int64_t flops, int asked, std::int64_t flopsPerThread = kFlopsPerThread);

/// Sets the number of threads for loops of the calling thread while this object lives. Without one,
/// loops take one thread.
class ScopedThreadLimit {
 public:
  explicit ScopedThreadLimit(int threads);
  ~ScopedThreadLimit();
  ScopedThreadLimit(const ScopedThreadLimit&) = delete;
  ScopedThreadLimit& operator=(const ScopedThreadLimit&) = delete;

 private:
  int before_;
};

/// A function and its `context`, called without an allocation.
struct PieceCall {
  void (*call)(void* context, std::int64_t piece) = nullptr;
  void* context = nullptr;
};

/// Calls body for every piece in [0, pieces), each once, in any order; returns when all are done.
/// Where threads run at equal speed, each takes the same part of the pieces in every loop, so
/// related pieces should have the same place in all loops. The calling thread takes part and waits
/// only for threads that have begun, so on a busy machine it loses no more than their help. A loop
/// within a piece, or during another thread's loop, runs on its own thread alone. body must not
/// throw.
void parallelForRaw(std::int64_t pieces, PieceCall body);

}  // namespace headscope
