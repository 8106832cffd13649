// Files: opens a file for reading; reads a file piece by piece and detects changes meanwhile; and
// writes a file that appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace headscope {

struct InputFile {
  std::ifstream stream;
  std::uint64_t bytes = 0;
};

/// Opens a file. Throws UserError for a missing or unreadable file, and for folders, pipes and
/// devices. These are never opened, since a pipe would block the program.
InputFile openInput(const std::filesystem::path& path);

/// Reads a whole file. Throws UserError as openInput does, and for more than `mostBytes`: "PATH is
/// not a usable KIND: it is larger than 64 MiB; open another".
std::string readText(const std::filesystem::path& path, std::uintmax_t mostBytes,
                     std::string_view kind);

/// A file that is read piece by piece while it stays open. Every piece comes from the file as it
/// was when it was opened: a file that was written to or replaced since is refused. Its bytes are
/// read, not mapped into memory, because a mapped file that another program shortens ends this one.
/// Safe on any thread.
class UnchangedFile {
 public:
  /// Throws UserError as openInput does.
  explicit UnchangedFile(const std::filesystem::path& path);

  std::uint64_t bytes() const { return bytes_; }
  /// Fills `to` with the bytes from `offset` on. Throws UserError for a file that has changed, and
  /// where they cannot be read.
  void read(std::uint64_t offset, std::span<char> to) const;
  /// Returns whether the path leads to a file of another size or another time of its last change.
  /// False for a path that leads nowhere: the open file can still be read.
  bool changed() const;

 private:
  struct Stamp {
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type written;

    bool operator==(const Stamp&) const = default;
  };
  /// Returns the stamp of a file, or none where the path leads to no file.
  static std::optional<Stamp> stampOf(const std::filesystem::path& path);

  std::filesystem::path path_;
  std::optional<Stamp> opened_;  // before the file was opened
  std::uint64_t bytes_ = 0;
  mutable std::mutex mutex_;  // of the stream
  mutable std::ifstream stream_;
};

/// Writes a temporary file, flushes it and renames it. Throws UserError naming the path and the
/// system's reason; the previous file then stays. Removes temporary files that a killed process
/// left.
void writeAtomically(const std::filesystem::path& path,
                     const std::function<void(std::ostream&)>& write);

/// The name under which this process writes a file or folder before it takes its place:
/// "NAME.tmp-<process>-<number>".
std::filesystem::path temporaryName(const std::filesystem::path& target, int number);
/// "t.npy" of "t.npy.tmp-<process>-<number>" where that process no longer runs; else empty.
std::string_view targetOfDeadTemporary(std::string_view name);
/// Removes such a file or folder unless another process still holds it.
void removeDeadTemporary(const std::filesystem::path& temporary);
/// Removes the leftovers of one target.
void removeDeadTemporariesOf(const std::filesystem::path& target);

/// A folder to write into. Folders that it creates are removed with their contents unless they are
/// kept.
class OutputFolder {
 public:
  /// Creates the folder. Throws UserError where that fails.
  explicit OutputFolder(const std::filesystem::path& folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  void keep() { made_.clear(); }

 private:
  std::vector<std::filesystem::path> made_;  // the innermost first
};

}  // namespace headscope
