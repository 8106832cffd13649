// Mapped file: a file's bytes as memory, read from the disk as they are touched and shared with
// other programs that have it open.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace headscope::platform {

/// The file should not be made shorter while this lives: bytes that are gone then cannot be read,
/// which `complete` tells.
class MappedFile {
 public:
  /// Null where this system maps no files, or not this one.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  virtual ~MappedFile() = default;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  /// Whether the file is still as long as it was.
  virtual bool complete() const = 0;

 protected:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

 private:
  std::string_view bytes_;
};

}  // namespace headscope::platform
