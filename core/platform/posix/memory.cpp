#include "core/platform/memory.h"

#include <limits>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif
#if defined(__unix__)
#include <unistd.h>
#endif
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headscope::platform {
namespace {

constexpr std::align_val_t kCacheLine{64};
/// The least size of a block with its own mapping. Between the small blocks of the history, large
/// ones would leave holes in the heap that no later block fits (30 to 45 MB after a thousand
/// changes of the preset).
constexpr std::size_t kMappedFrom = std::size_t{1} << 20;
/// The least size of a block in pages of 2 MB: filling 100 MB then takes 50 page faults instead of
/// 25,000.
constexpr std::size_t kHugePagesFrom = std::size_t{2} << 20;

std::size_t bytesFor(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(float); }

#ifdef __APPLE__
/// A number that the kernel of macOS tells by name; 0 where it has no such one.
std::int64_t kernelNumber(const char* name) {
  std::int64_t number = 0;
  std::size_t bytes = sizeof(number);
  return ::sysctlbyname(name, &number, &bytes, nullptr, 0) == 0 ? number : 0;
}
#endif

[[maybe_unused]] bool isMapped([[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
  return bytes >= kMappedFrom;
#else
  return false;  // AddressSanitizer watches the heap alone
#endif
}

}  // namespace

float* allocateFloats(std::int64_t count) {
  if (count > std::numeric_limits<std::int64_t>::max() / 8) throw std::bad_alloc();
  const std::size_t bytes = bytesFor(count);
#ifdef __linux__
  if (isMapped(bytes)) {
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    if (bytes >= kHugePagesFrom) ::madvise(memory, bytes, MADV_HUGEPAGE);  // may be refused
    return static_cast<float*>(memory);
  }
#endif
  return static_cast<float*>(::operator new[](bytes, kCacheLine));
}

void freeFloats(float* memory, [[maybe_unused]] std::int64_t count) {
#ifdef __linux__
  if (isMapped(bytesFor(count))) {
    ::munmap(memory, bytesFor(count));
    return;
  }
#endif
  ::operator delete[](memory, kCacheLine);
}

std::int64_t physicalMemory() {
#if defined(__EMSCRIPTEN__)
  return std::int64_t{4} << 30;  // all that a page can address
#elif defined(__unix__)
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
#elif defined(__APPLE__)
  return kernelNumber("hw.memsize");
#else
  return std::int64_t{4} << 30;
#endif
}

std::int64_t secondCache() {
  constexpr std::int64_t kCommon = std::int64_t{1} << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (const auto bytes = static_cast<std::int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE)); bytes > 0) {
    return bytes;
  }
#elif defined(__APPLE__)
  if (const std::int64_t bytes = kernelNumber("hw.l2cachesize"); bytes > 0) return bytes;
#endif
  return kCommon;
}

void useOneHeap() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace headscope::platform
