#include "core/platform/threads.h"

#include <algorithm>
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

void breathe() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

struct Loop {
  PieceCall body;
  Index pieces;
  std::atomic<Index> next{0};

  void take() {
    for (Index piece = next++; piece < pieces; piece = next++) body.call(body.context, piece);
  }
};

/// The threads that help with a loop: one team for the process, as there is one set of cores. They
/// look out for the next loop a little while, since the next step's mostly follows at once, and
/// sleep then.
class Team {
 public:
  ~Team() {
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
    loop.take();
    loop_ = nullptr;
    // those that saw the loop have a piece of it in hand; nobody else will see it
    for (int turns = 0; inside_.load() != 0; ++turns) {
      if (turns < kTurns) {
        breathe();
      } else {
        std::this_thread::yield();
      }
    }
    taken_.clear(std::memory_order_release);
    return true;
  }

 private:
  static constexpr int kTurns = 2000;  // some 50 µs

  /// Where the system gives no more threads, those that there are do the work.
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
      for (int turns = 0; turns < kTurns && calls_.load() == seen; ++turns) breathe();
      calls_.wait(seen);
      seen = calls_.load();
      if (number >= wanted_.load()) continue;
      ++inside_;
      if (Loop* loop = loop_.load()) loop->take();
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

Team& team() {
  static Team team;
  return team;
}

int mostThreads(int asked) {
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
  asked = 1;  // a page that may have one thread
#endif
  if (asked > 0) return asked;
  auto cores = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __EMSCRIPTEN__
  --cores;  // the page's own thread draws meanwhile, with one of them
#endif
  return std::max(1, cores);
}

}  // namespace

int threadsFor(Index flops, int asked, Index flopsPerThread) {
  return static_cast<int>(std::clamp<Index>(flops / flopsPerThread, 1, mostThreads(asked)));
}

ThreadCount::ThreadCount(int threads) : before_(threadCount) { threadCount = threads; }

ThreadCount::~ThreadCount() { threadCount = before_; }

void forPieces(Index pieces, PieceCall body) {
  Loop loop{body, pieces};
  const int threads = static_cast<int>(std::min<Index>(threadCount, pieces));
  if (threads > 1 && team().run(loop, threads)) return;
  loop.take();
}

}  // namespace headscope
