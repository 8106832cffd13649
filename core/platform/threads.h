// Threads: the machine's cores shared out: a loop's pieces over as many of them as pay for it.
#pragma once

#include <cstdint>

namespace headscope {

/// So much work pays for a thread: some 20 µs, where handing out a loop takes a few
/// (bench/README.md).
inline constexpr std::int64_t kFlopsPerThread = 4'000'000;

/// Threads that pay for themselves. At most `asked`; 0: one per core, in a browser one less.
int threadsFor(std::int64_t flops, int asked, std::int64_t flopsPerThread = kFlopsPerThread);

/// How many threads the loops of the calling thread take for as long as this lives. One where there
/// is none.
class ScopedThreadLimit {
 public:
  explicit ScopedThreadLimit(int threads);
  ~ScopedThreadLimit();
  ScopedThreadLimit(const ScopedThreadLimit&) = delete;
  ScopedThreadLimit& operator=(const ScopedThreadLimit&) = delete;

 private:
  int before_;
};

/// A call that costs no allocation: `context` is whatever it is called on.
struct PieceCall {
  void (*call)(void* context, std::int64_t piece) = nullptr;
  void* context = nullptr;
};

/// Calls body for every piece in [0, pieces), each once, in any order; returns when all are done.
/// Where threads keep pace, the first of them takes the first part of the pieces, in this loop and
/// in the next: what belongs together should stand at the same place of both.
/// The calling thread takes part and waits for no other that has not begun, so a busy machine makes
/// it slower by what the others would have saved and no more. A loop inside of a piece, or beside
/// another thread's loop, runs on its own thread alone. body must not throw.
void parallelForRaw(std::int64_t pieces, PieceCall body);

}  // namespace headscope
