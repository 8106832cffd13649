// Helpers for the fuzz targets: a file in memory, and the one error that input may cause.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace headscope::fuzz {

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Input may be refused with a UserError; any other exception ends the process and is a finding.
template <typename Read>
bool accepted(Read read) {
  try {
    read();
    return true;
  } catch (const UserError& error) {
    if (std::string_view(error.what()).empty()) std::abort();
    return false;
  }
}

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// A file without a place on the disk.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", 0)) { require(descriptor_ >= 0); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void hold(std::string_view bytes) const {
    require(::ftruncate(descriptor_, 0) == 0);
    const auto written = ::pwrite(descriptor_, bytes.data(), bytes.size(), 0);
    require(written == static_cast<ssize_t>(bytes.size()));
  }

 private:
  int descriptor_;
};

}  // namespace headscope::fuzz
