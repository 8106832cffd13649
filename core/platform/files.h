// Files: what only the system can do with them. Everything else of files is std::filesystem's.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace headscope::platform {

/// A file, or a folder, locked for all programs, until this goes or its process ends.
class FileLock {
 public:
  enum class Kind { shared, exclusive };

  /// Waits for it. Null where the path cannot be opened; where the file system (or, for folders,
  /// the operating system) has no locks nobody is kept out.
  static std::unique_ptr<FileLock> wait(const std::filesystem::path& path, Kind kind);
  /// An exclusive one on a file or folder; a file is made where none is and `create` says so. Null
  /// where another has it (std::errc::operation_would_block) or it cannot be had, `why` telling.
  static std::unique_ptr<FileLock> tryNow(const std::filesystem::path& path, bool create,
                                          std::error_code& why);

  virtual ~FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Of a folder: what was renamed in it so far is on the disk.
  virtual void flush() const = 0;
  /// Removes the file and lets go of it. Only who has the lock does so, so that nobody locks a file
  /// that others no longer see.
  virtual void remove() = 0;

 protected:
  FileLock() = default;
};

/// A new, empty file; an error (std::errc::file_exists) where there is one. `lock` holds it until
/// it goes or its process ends, and stays null where the file system has no locks.
std::error_code createFile(const std::filesystem::path& path, std::unique_ptr<FileLock>& lock);

/// The names in a folder; none where it cannot be read. Where memory runs out it throws
/// std::bad_alloc, unlike std::filesystem::directory_iterator of libstdc++, which ends the program.
std::vector<std::string> namesIn(const std::filesystem::path& folder);

/// What was written to the file is on the disk.
std::error_code flushFile(const std::filesystem::path& path);

}  // namespace headscope::platform
