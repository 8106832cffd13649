#include "tests/faults/failing_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace headscope {
namespace {

std::atomic<bool> armed{false};
std::atomic<bool> armedHere{false};
std::atomic<bool> defect{false};
std::atomic<long> made{0};
std::atomic<long> failing{0};
thread_local bool here = false;  // the thread that made the FailingNew

void mayFail() {
  if (!armed || here != armedHere) return;
  if (++made != failing) return;
  if (defect) throw std::runtime_error("a defect");
  throw std::bad_alloc();
}

void* orThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* aligned(std::size_t bytes, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return orThrow(std::aligned_alloc(to, (bytes + to - 1) / to * to));
}

}  // namespace

FailingNew::FailingNew(Where where, long n, Fault fault) {
  defect = fault == Fault::defect;
  here = true;
  made = 0;
  failing = n;
  armedHere = where == Where::thisThread;
  armed = true;
}

FailingNew::~FailingNew() {
  armed = false;
  here = false;
}

long FailingNew::count() { return made; }

}  // namespace headscope

void* operator new(std::size_t bytes) {
  headscope::mayFail();
  return headscope::orThrow(std::malloc(bytes == 0 ? 1 : bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  headscope::mayFail();
  return headscope::aligned(bytes, alignment);
}
void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return ::operator new(bytes, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
