// Loops: work as loops over independent pieces, one loop after the other, which can be left off
// between two pieces and gone on with, so that a window without threads draws frames meanwhile.
#pragma once

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/execution.h"

namespace headscope {

struct PieceLoop {
  Index pieces = 0;
  std::function<void(Index piece)> piece;
  std::function<void()> then = {};  // called once all pieces are done
  int threads = 1;                  // over which Loops shares the pieces out, at most
  Index next = 0;

  /// True where all pieces are done; false where it was cancelled, or where it is `until` so late
  /// (clockSeconds), until when it works on the calling thread alone. Infinity: on all there are,
  /// to the end.
  bool goOn(const Execution& execution, double until) {
    if (std::isinf(until)) {
      overPieces(pieces, execution, piece);
      next = pieces;
    } else {
      while (next < pieces && !execution.stop()) {
        piece(next++);
        if (clockSeconds() >= until) break;
      }
    }
    return next == pieces && !execution.stop();
  }
};

class Loops {
 public:
  void add(PieceLoop loop) { loops_.push_back(std::move(loop)); }
  /// What follows the loops that are there by now.
  void then(std::function<void()> action) { loops_.push_back({0, {}, std::move(action)}); }

  /// True where all have ended; false as PieceLoop::goOn. Throws what a piece threw.
  bool goOn(const Execution& execution, double until = std::numeric_limits<double>::infinity()) {
    for (; !loops_.empty(); loops_.pop_front()) {
      PieceLoop& loop = loops_.front();
      const ThreadCount threads(loop.threads);
      if (!loop.goOn(execution, until)) return false;
      if (loop.then) loop.then();
    }
    return true;
  }

 private:
  std::deque<PieceLoop> loops_;
};

/// What loops fill in, which `add` adds, run to the end; nothing where cancelled.
template <typename Result, typename Add>
std::optional<Result> inOneGo(const Execution& execution, Add&& add) {
  Result result;
  Loops loops;
  add(loops, result);
  if (!loops.goOn(execution)) return std::nullopt;
  return result;
}

}  // namespace headscope
