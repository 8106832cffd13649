#include "core/platform/memory.h"

#include <windows.h>

#include <limits>
#include <new>
#include <vector>

namespace headscope::platform {
namespace {

constexpr std::align_val_t kCacheLine{64};

}  // namespace

/// The heap of Windows gives large blocks a mapping of their own.
float* allocateFloats(std::int64_t count) {
  if (count > std::numeric_limits<std::int64_t>::max() / 8) throw std::bad_alloc();
  return static_cast<float*>(
      ::operator new[](static_cast<std::size_t>(count) * sizeof(float), kCacheLine));
}

void freeFloats(float* memory, std::int64_t) { ::operator delete[](memory, kCacheLine); }

std::int64_t physicalMemory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  constexpr std::int64_t kCommon = std::int64_t{4} << 30;
  return ::GlobalMemoryStatusEx(&status) != FALSE ? static_cast<std::int64_t>(status.ullTotalPhys)
                                                  : kCommon;
}

std::int64_t secondCache() {
  constexpr std::int64_t kCommon = std::int64_t{1} << 20;
  DWORD bytes = 0;
  ::GetLogicalProcessorInformation(nullptr, &bytes);
  std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> parts(bytes / sizeof parts[0]);
  if (::GetLogicalProcessorInformation(parts.data(), &bytes) == FALSE) return kCommon;
  for (const SYSTEM_LOGICAL_PROCESSOR_INFORMATION& part : parts) {
    if (part.Relationship == RelationCache && part.Cache.Level == 2 && part.Cache.Size > 0) {
      return part.Cache.Size;
    }
  }
  return kCommon;
}

/// All threads share one heap already.
void useOneHeap() {}

}  // namespace headscope::platform
