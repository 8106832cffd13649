// Comparison: the trace of another document, computed beside the present one so that the two can be
// held against each other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/worker.h"

namespace headscope {

class Comparison {
 public:
  explicit Comparison(int threads) : threads_(threads) {}

  void setWake(std::function<void()> wake);
  /// Which document it is to be; null: none, and nothing is computed or held.
  void want(const DocumentPtr& document);
  /// The wanted document's trace, null until it is there (or where it cannot be computed).
  TracePtr trace();
  /// Why the wanted document cannot be computed; empty where it can.
  const std::string& problem() const { return problem_; }
  /// Differs between traces whose revisions do not count on from each other; never 0.
  std::uint64_t series() const { return series_; }
  /// Waits until it is there (offscreen and tests).
  void finish();

 private:
  int threads_;
  std::function<void()> wake_;
  DocumentPtr wanted_;
  TracePtr trace_;
  std::string problem_;
  std::uint64_t series_ = 0;
  std::unique_ptr<Worker> worker_;  // while something is wanted
};

}  // namespace headscope
