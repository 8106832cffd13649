// Event loop queue: runs work between two events of the page where there are no threads (a
// browser's page that is not isolated).
#pragma once

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define HEADSCOPE_NO_THREADS 1

#include <functional>
#include <memory>

namespace headscope {

/// Calls `what` after `seconds`, between two events, unless the queue is destroyed first.
class EventLoopQueue {
 public:
  void call(double seconds, std::function<void()> what);

 private:
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
};

}  // namespace headscope
#endif
