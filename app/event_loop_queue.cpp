#include "app/event_loop_queue.h"

#ifdef HEADSCOPE_NO_THREADS
#include <emscripten.h>

#include <utility>

namespace headscope {
namespace {

struct Call {
  std::weak_ptr<bool> owner;
  std::function<void()> what;
};

}  // namespace

void EventLoopQueue::call(double seconds, std::function<void()> what) {
  auto call = std::make_unique<Call>(Call{lives_, std::move(what)});
  emscripten_async_call(
      [](void* given) {
        const std::unique_ptr<Call> call(static_cast<Call*>(given));
        if (!call->owner.expired()) call->what();
      },
      call.release(), static_cast<int>(1000.0 * seconds));
}

}  // namespace headscope
#endif
