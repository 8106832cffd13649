#include "core/platform/files.h"

#define NTDDI_VERSION 0x0A000002  // Windows 10 of 2016, with renames as POSIX has them

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <cwchar>
#include <ext/stdio_filebuf.h>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "core/platform/paths.h"

namespace headscope::platform {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause(5);
/// All that others may do with a file that is open here, as on other systems.
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
/// The byte of a file that is locked. Windows lets nobody else read or write a locked byte, so this
/// one lies behind the end of all files.
constexpr DWORD kLockedAtHigh = 0x4000'0000;

std::error_code lastError() { return {static_cast<int>(::GetLastError()), std::system_category()}; }

std::error_code busy() { return std::make_error_code(std::errc::operation_would_block); }

class File {
 public:
  File(const fs::path& path, DWORD access, DWORD disposition, DWORD flags = FILE_ATTRIBUTE_NORMAL)
      : handle_(
            ::CreateFileW(path.c_str(), access, kShared, nullptr, disposition, flags, nullptr)) {}
  ~File() {
    if (*this) ::CloseHandle(handle_);
  }
  File(File&& other) noexcept : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
  File& operator=(File&&) = delete;

  explicit operator bool() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE operator*() const { return handle_; }
  HANDLE release() { return std::exchange(handle_, INVALID_HANDLE_VALUE); }

  /// Returns false where another lock excludes it, or on an error.
  bool lock(FileLock::Kind kind) const {
    OVERLAPPED at{};
    at.OffsetHigh = kLockedAtHigh;
    const DWORD exclusive = kind == FileLock::Kind::exclusive ? LOCKFILE_EXCLUSIVE_LOCK : 0;
    return ::LockFileEx(handle_, exclusive | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != FALSE;
  }

  /// Returns whether another has removed it since it was opened.
  bool removed() const {
    FILE_STANDARD_INFO info{};
    return ::GetFileInformationByHandleEx(handle_, FileStandardInfo, &info, sizeof info) == FALSE ||
           info.DeletePending != FALSE;
  }

 private:
  HANDLE handle_;
};

class LockedFile final : public FileLock {
 public:
  LockedFile(fs::path path, File file) : path_(std::move(path)), file_(std::move(file)) {}

  /// The file system keeps a journal of renames.
  void flush() const override {}
  void remove() override {
    std::error_code code;
    fs::remove(path_, code);
    const File gone = std::move(file_);
  }

 private:
  fs::path path_;
  File file_;
};

/// Opens a file for its lock. Windows locks no folders: a file of the user's temporary folder,
/// which goes with its last lock, stands for each of them.
File forLocking(const fs::path& path, bool create) {
  if (!isFolder(path)) {
    return {path, GENERIC_READ | GENERIC_WRITE,
            create ? static_cast<DWORD>(OPEN_ALWAYS) : static_cast<DWORD>(OPEN_EXISTING)};
  }
  File folder(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  BY_HANDLE_FILE_INFORMATION id{};
  if (!folder || ::GetFileInformationByHandle(*folder, &id) == FALSE) return folder;
  std::error_code code;
  const fs::path temporary = fs::temp_directory_path(code);
  std::array<wchar_t, 64> name{};
  std::swprintf(name.data(), name.size(), L"headscope-%08lx-%08lx%08lx.lock",
                id.dwVolumeSerialNumber, id.nFileIndexHigh, id.nFileIndexLow);
  return {temporary / name.data(), GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS,
          FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE};
}

/// Tries once. A file that its owner is removing counts as locked: it is gone in a moment.
std::unique_ptr<FileLock> tryLock(const fs::path& path, FileLock::Kind kind, bool create,
                                  std::error_code& why) {
  File file = forLocking(path, create);
  why = file ? std::error_code() : lastError();
  if (!file) {
    if (why.value() == ERROR_SHARING_VIOLATION ||
        (why.value() == ERROR_ACCESS_DENIED && isFolder(path))) {
      why = busy();
    }
    return nullptr;
  }
  if (file.removed() || !file.lock(kind)) {
    why = busy();
    return nullptr;
  }
  return std::make_unique<LockedFile>(path, std::move(file));
}

}  // namespace

std::unique_ptr<FileLock> FileLock::wait(const fs::path& path, Kind kind, double seconds,
                                         std::error_code& why) {
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    std::unique_ptr<FileLock> lock = tryLock(path, kind, false, why);
    if (lock || why != std::errc::operation_would_block || Clock::now() >= until) return lock;
    std::this_thread::sleep_for(kPause);
  }
}

std::unique_ptr<FileLock> FileLock::tryNow(const fs::path& path, bool create,
                                           std::error_code& why) {
  return tryLock(path, Kind::exclusive, create, why);
}

std::error_code createFile(const fs::path& path, std::unique_ptr<FileLock>& lock) {
  File file(path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW);
  if (!file) return lastError();
  if (file.lock(FileLock::Kind::exclusive)) {
    lock = std::make_unique<LockedFile>(path, std::move(file));
  }
  return {};
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    names.push_back(at->path().filename().string());
  }
  return names;
}

std::error_code flushFile(const fs::path& path) {
  const File file(path, GENERIC_WRITE, OPEN_EXISTING);
  return file && ::FlushFileBuffers(*file) != FALSE ? std::error_code() : lastError();
}

std::ifstream openToRead(const fs::path& path) {
  std::ifstream stream;
  File file(path, GENERIC_READ, OPEN_EXISTING);
  if (!file) return stream;
  const int number =
      ::_open_osfhandle(reinterpret_cast<std::intptr_t>(file.release()), _O_RDONLY | _O_BINARY);
  __gnu_cxx::stdio_filebuf<char> buffer(number, std::ios::in | std::ios::binary);
  stream.rdbuf()->swap(buffer);
  return stream;
}

namespace {

/// Renames as POSIX systems do, over a file that is open, too. Not every file system can.
bool renamedOverOpen(const fs::path& from, const fs::path& to) {
  const File file(from, DELETE | SYNCHRONIZE, OPEN_EXISTING);
  if (!file) return false;
  const std::wstring name = absolutePath(to).make_preferred().native();
  const std::size_t nameBytes = name.size() * sizeof(wchar_t);
  const std::size_t bytes = sizeof(FILE_RENAME_INFO) + nameBytes;
  const std::unique_ptr<std::byte[]> memory(new std::byte[bytes]());
  auto* info = new (memory.get()) FILE_RENAME_INFO;
  info->Flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS;
  info->FileNameLength = static_cast<DWORD>(nameBytes);
  std::memcpy(info->FileName, name.data(), nameBytes);
  return ::SetFileInformationByHandle(*file, FileRenameInfoEx, info, static_cast<DWORD>(bytes)) !=
         FALSE;
}

}  // namespace

/// A scanner for viruses or an indexer may have either file open for a moment.
std::error_code replace(const fs::path& from, const fs::path& to) {
  constexpr std::chrono::milliseconds kPatience(500);
  const auto until = Clock::now() + kPatience;
  while (true) {
    constexpr DWORD kFlags = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    if (renamedOverOpen(from, to)) return {};
    if (::MoveFileExW(from.c_str(), to.c_str(), kFlags) != FALSE) return {};
    const std::error_code code = lastError();
    const bool held =
        code.value() == ERROR_SHARING_VIOLATION || code.value() == ERROR_ACCESS_DENIED;
    if (!held || Clock::now() >= until) return code;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace headscope::platform
