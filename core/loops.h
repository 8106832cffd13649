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
    while (!loops_.empty()) {
      PieceLoop& loop = loops_.front();
      const ThreadCount threads(loop.threads);
      if (!loop.goOn(execution, until)) return false;
      if (loop.then) loop.then();
      loops_.pop_front();
      if (clockSeconds() >= until) break;
    }
    return loops_.empty();
  }

 private:
  std::deque<PieceLoop> loops_;
};

/// What loops fill in, in parts: add(loops, result, execution) adds them, given what lives as long.
template <typename Result>
class InParts {
 public:
  template <typename Add>
  InParts(const Execution& execution, Add&& add, Result empty = {})
      : execution_(execution), result_(std::move(empty)) {
    add(loops_, result_, execution_);
  }
  InParts(const InParts&) = delete;
  InParts& operator=(const InParts&) = delete;

  /// Works on for so many seconds. True where it has ended or was cancelled. Throws what a piece
  /// threw.
  bool goOn(double seconds = std::numeric_limits<double>::infinity()) {
    ended_ = loops_.goOn(execution_, clockSeconds() + seconds);
    return ended_ || execution_.stop();
  }
  /// Once it has ended, once: nothing where it was cancelled.
  std::optional<Result> take() { return ended_ ? std::optional(std::move(result_)) : std::nullopt; }

 private:
  Execution execution_;
  Result result_;
  Loops loops_;
  bool ended_ = false;
};

/// The same to the end.
template <typename Result, typename Add>
std::optional<Result> inOneGo(const Execution& execution, Add&& add, Result empty = {}) {
  InParts<Result> parts(execution, std::forward<Add>(add), std::move(empty));
  parts.goOn();
  return parts.take();
}

}  // namespace headscope
