// Files: system functions for files that std::filesystem does not have.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace headscope::platform {

/// A lock on a file or folder against all programs, until this object is destroyed or its process
/// ends.
class FileLock {
 public:
  enum class Kind { shared, exclusive };

  /// Waits for the lock, at most `seconds`. Null where another lock excluded it all that time
  /// (std::errc::operation_would_block in `why`) or the path cannot be opened. Where the file
  /// system (or, for folders, the operating system) has no locks, the lock excludes nobody.
  static std::unique_ptr<FileLock> wait(const std::filesystem::path& path, Kind kind,
                                        double seconds, std::error_code& why);
  /// Takes an exclusive lock on a file or folder without waiting. Creates a missing file if
  /// `create`. Null where another process has the lock (std::errc::operation_would_block) or on an
  /// error, with the reason in `why`.
  static std::unique_ptr<FileLock> tryNow(const std::filesystem::path& path, bool create,
                                          std::error_code& why);

  virtual ~FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// For a folder: ensures that all renames in it so far are on the disk.
  virtual void flush() const = 0;
  /// Removes the file and releases the lock. Only the owner of the lock may remove the file, so
  /// that nobody locks a file that is no longer visible.
  virtual void remove() = 0;

 protected:
  FileLock() = default;
};

/// Creates an empty file; std::errc::file_exists where it exists. `lock` receives its lock, and
/// stays null where the file system has no locks.
std::error_code createFile(const std::filesystem::path& path, std::unique_ptr<FileLock>& lock);

/// Returns the names in a folder; none where it cannot be read. Where memory runs out it throws
/// std::bad_alloc, unlike std::filesystem::directory_iterator of libstdc++, which ends the program.
std::vector<std::string> namesIn(const std::filesystem::path& folder);

/// Ensures that all data written to the file is on the disk.
std::error_code flushFile(const std::filesystem::path& path);

/// Opens a file so that other programs may replace or remove it meanwhile; the stream then reads on
/// in the old one. It is not open where the file cannot be read.
std::ifstream openToRead(const std::filesystem::path& path);

/// Renames a file. At every moment `to` is the file that was there or the renamed one, whole.
std::error_code replace(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headscope::platform
