// Progress: how far long work is, printed on stderr at most every two seconds.
#pragma once

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <utility>

#include "core/base/execution.h"
#include "core/base/index.h"

namespace headscope::cli {

class Progress {
 public:
  /// `work`: its name, "sweep".
  explicit Progress(std::string work) : work_(std::move(work)) {}

  /// "sweep: 3 of 14 steps"
  void at(Index done, Index all, const std::string& unit) {
    if (clockSeconds() - printed_ < kSeconds) return;
    printed_ = clockSeconds();
    std::cerr << fmt::format("{}: {} of {} {}\n", work_, done, all, unit);
  }

 private:
  static constexpr double kSeconds = 2.0;
  std::string work_;
  double printed_ = clockSeconds();
};

}  // namespace headscope::cli
