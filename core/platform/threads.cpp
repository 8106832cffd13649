#include "core/platform/threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <system_error>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headscope {
namespace {

thread_local int threadCount = 1;

void cpuRelax() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Each thread begins with its own part of the pieces, which is equal in every loop, and continues
/// with the remaining pieces of the others. A thread then finds the data of the previous loop in
/// its core's cache.
class Loop {
 public:
  Loop(PieceCall body, std::int64_t pieces, int threads)
      : body_(body), parts_(std::clamp(threads, 1, kMostParts)) {
    for (std::int64_t part = 0; part < parts_; ++part) {
      part_[static_cast<std::size_t>(part)].next = pieces * part / parts_;
      part_[static_cast<std::size_t>(part)].end = pieces * (part + 1) / parts_;
    }
  }

  void take(std::size_t thread) {
    const auto parts = static_cast<std::size_t>(parts_);
    for (std::size_t i = 0; i < parts; ++i) {
      Part& part = part_[(thread + i) % parts];
      for (std::int64_t piece = part.next++; piece < part.end; piece = part.next++) {
        body_.call(body_.context, piece);
      }
    }
  }

 private:
  static constexpr int kMostParts = 16;
  struct alignas(64) Part {  // a cache line each
    std::atomic<std::int64_t> next;
    std::int64_t end;
  };

  PieceCall body_;
  std::int64_t parts_;
  std::array<Part, kMostParts> part_;
};

/// The threads that help with a loop: one team per process, as there is one set of cores. They spin
/// for a short time, since the next loop usually follows at once, and then sleep.
class ThreadPool {
 public:
  ~ThreadPool() {
    stopping_ = true;
    call();
    for (std::thread& helper : helpers_) helper.join();
  }

  /// False where another loop has the team.
  bool run(Loop& loop, int threads) {
    if (taken_.test_and_set(std::memory_order_acquire)) return false;
    const auto wanted = static_cast<std::size_t>(threads - 1);
    grow(wanted);
    wanted_ = wanted;
    loop_ = &loop;
    call();
    loop.take(0);
    loop_ = nullptr;
    // helpers that saw the loop are still at work on it; no other helper will see it
    for (int turns = 0; inside_.load() != 0; ++turns) {
      if (turns < kTurns) {
        cpuRelax();
      } else {
        std::this_thread::yield();
      }
    }
    taken_.clear(std::memory_order_release);
    return true;
  }

 private:
  static constexpr int kTurns = 2000;  // some 50 µs

  /// Where the system creates no more threads, the existing ones do the work.
  void grow(std::size_t wanted) {
    try {
      while (helpers_.size() < wanted) {
        helpers_.emplace_back([this, number = helpers_.size()] { help(number); });
      }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  void call() {
    ++calls_;
    calls_.notify_all();
  }

  void help(std::size_t number) {
    std::uint32_t seen = 0;
    while (!stopping_) {
      for (int turns = 0; turns < kTurns && calls_.load() == seen; ++turns) cpuRelax();
      calls_.wait(seen);
      seen = calls_.load();
      if (number >= wanted_.load()) continue;
      ++inside_;
      if (Loop* loop = loop_.load()) loop->take(number + 1);
      --inside_;
    }
  }

  std::atomic_flag taken_;
  std::vector<std::thread> helpers_;  // grown by whoever has the team
  std::atomic<std::size_t> wanted_{0};
  std::atomic<Loop*> loop_{nullptr};
  std::atomic<int> inside_{0};
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> stopping_{false};
};

ThreadPool& team() {
  static ThreadPool team;
  return team;
}

int mostThreads(int asked) {
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
  asked = 1;  // a page that may have one thread
#endif
  if (asked > 0) return asked;
  // asked once: the system reads a file for the answer, a tenth of a small pass's time
  static const auto allCores = static_cast<int>(std::thread::hardware_concurrency());
  int cores = allCores;
#ifdef __EMSCRIPTEN__
  --cores;  // the page's own thread draws meanwhile, with one of them
#endif
  return std::max(1, cores);
}

}  // namespace

int threadsFor(std::int64_t flops, int asked, std::int64_t flopsPerThread) {
  return static_cast<int>(std::clamp<std::int64_t>(flops / flopsPerThread, 1, mostThreads(asked)));
}

ScopedThreadLimit::ScopedThreadLimit(int threads) : before_(threadCount) { threadCount = threads; }

ScopedThreadLimit::~ScopedThreadLimit() { threadCount = before_; }

void parallelForRaw(std::int64_t pieces, PieceCall body) {
  const int threads = static_cast<int>(std::min<std::int64_t>(threadCount, pieces));
  if (threads > 1) {
    Loop loop(body, pieces, threads);
    if (team().run(loop, threads)) return;
  }
  for (std::int64_t piece = 0; piece < pieces; ++piece) body.call(body.context, piece);
}

}  // namespace headscope
