// Temporary file: a new file next to the one that it will replace. It is removed unless it was
// renamed into place, so that a file appears whole or not at all:
//
//   TemporaryFile temporary("film.mp4");
//   write(temporary.path());
//   temporary.renameTo("film.mp4");
#pragma once

#include <filesystem>
#include <memory>
#include <system_error>

namespace headscope::platform {
class FileLock;
}  // namespace headscope::platform

namespace headscope {

/// Throws UserError: "cannot write PATH: REASON; choose a writable place".
[[noreturn]] void failToWriteFile(const std::filesystem::path& path, const std::error_code& reason);

/// Returns the file that takes what is written to `path`: through a link, the file that it points
/// to. Throws UserError for a folder, a loop of links and a name that is too long.
std::filesystem::path fileToReplace(const std::filesystem::path& path);

class TemporaryFile {
 public:
  /// Creates the file, empty. It stays locked while this object lives, so that other processes do
  /// not take it for a leftover of a killed process. Throws UserError that names the target.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }

  /// Flushes the file to the disk and renames it, with the permissions of a file that it replaces.
  void renameTo(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  std::unique_ptr<platform::FileLock> lock_;
  bool renamed_ = false;
};

}  // namespace headscope
