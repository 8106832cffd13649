// Session files: which tensors file is a session's, which are left over, and the lock that keeps
// two programs from changing one folder's sessions at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace headscope::formats {

/// A session's JSON may be so large.
inline constexpr std::uintmax_t kMaxSessionBytes = std::uintmax_t{64} << 20;

/// While it lives, nobody else saves a session in the folder (shared: several may read). Where the
/// file system has no locks there is none.
class FolderLock {
 public:
  enum class Kind { shared, exclusive };
  FolderLock(const std::filesystem::path& folder, Kind kind);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// What was renamed in the folder so far is on the disk.
  void flush() const;

 private:
  int descriptor_;
};

/// The folder a file is in: "." for a bare name.
std::filesystem::path folderOf(const std::filesystem::path& path);

/// "lecture.0123456789abcdef.safetensors" of lecture.headscope.json.
std::string tensorsName(const std::filesystem::path& session, std::uint64_t hash);

/// Removes tensors files of that session other than `keep`, save those another session of the
/// folder names, and what killed processes left half-written. An empty `keep`: all of them.
void removeLeftovers(const std::filesystem::path& session, const std::string& keep);

}  // namespace headscope::formats
