// Clock: a steady one, for how long things take.
#pragma once

#include <chrono>

namespace headscope {

/// Seconds since some moment in the past.
inline double clockSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Since a time of the same clock.
inline double millisecondsSince(double startSeconds) {
  return (clockSeconds() - startSeconds) * 1000.0;
}

}  // namespace headscope
