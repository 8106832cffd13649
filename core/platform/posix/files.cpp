#include "core/platform/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace headscope::platform {
namespace fs = std::filesystem;

namespace {

std::error_code lastError() { return {errno, std::generic_category()}; }

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, mode_t mode = 0)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  explicit operator bool() const { return number_ >= 0; }
  int operator*() const { return number_; }

 private:
  int number_;
};

class LockedDescriptor final : public FileLock {
 public:
  LockedDescriptor(fs::path path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  void flush() const override { ::fsync(*descriptor_); }
  void remove() override {
    std::error_code code;
    fs::remove(path_, code);
    const Descriptor gone = std::move(descriptor_);
  }

 private:
  fs::path path_;
  Descriptor descriptor_;
};

/// Returns whether the path still leads to the file that is open: another may have removed it
/// since.
bool leadsTo(const fs::path& path, int file) {
  struct stat there {};
  struct stat open {};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(file, &open) == 0 &&
         there.st_ino == open.st_ino && there.st_dev == open.st_dev;
}

/// Locks of network file systems need a descriptor that can write, which folders do not have.
Descriptor forLocking(const fs::path& path, bool create) {
  Descriptor descriptor(path, O_RDWR | (create ? O_CREAT : 0), 0600);
  if (descriptor || errno != EISDIR) return descriptor;
  return {path, O_RDONLY};
}

}  // namespace

std::unique_ptr<FileLock> FileLock::wait(const fs::path& path, Kind kind, double seconds,
                                         std::error_code& why) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause(5);  // flock itself knows no limit
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  Descriptor descriptor(path, O_RDONLY);
  why = descriptor ? std::error_code() : lastError();
  if (!descriptor) return nullptr;
  const int lock = (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  while (::flock(*descriptor, lock) != 0 && (errno == EINTR || errno == EWOULDBLOCK)) {
    why = lastError();
    if (Clock::now() >= until) return nullptr;
    std::this_thread::sleep_for(kPause);
  }
  why = {};
  return std::make_unique<LockedDescriptor>(path, std::move(descriptor));
}

std::unique_ptr<FileLock> FileLock::tryNow(const fs::path& path, bool create,
                                           std::error_code& why) {
  while (true) {
    Descriptor descriptor = forLocking(path, create);
    if (!descriptor || ::flock(*descriptor, LOCK_EX | LOCK_NB) != 0) {
      why = lastError();
      return nullptr;
    }
    if (leadsTo(path, *descriptor)) {
      why = {};
      return std::make_unique<LockedDescriptor>(path, std::move(descriptor));
    }
    if (create) continue;  // whoever had it has just removed it
    why = std::make_error_code(std::errc::no_such_file_or_directory);
    return nullptr;
  }
}

std::error_code createFile(const fs::path& path, std::unique_ptr<FileLock>& lock) {
  Descriptor descriptor(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (!descriptor) return lastError();
  if (::flock(*descriptor, LOCK_EX | LOCK_NB) != 0) return {};
  try {
    lock = std::make_unique<LockedDescriptor>(path, std::move(descriptor));
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
  return {};
}

std::vector<std::string> namesIn(const fs::path& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  std::vector<std::string> names;
  while (const dirent* entry = open != nullptr ? ::readdir(open.get()) : nullptr) {
    names.emplace_back(entry->d_name);
  }
  return names;
}

std::error_code flushFile(const fs::path& path) {
  const Descriptor descriptor(path, O_WRONLY);
  return descriptor && ::fsync(*descriptor) == 0 ? std::error_code() : lastError();
}

std::ifstream openToRead(const fs::path& path) { return std::ifstream(path, std::ios::binary); }

std::error_code replace(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::rename(from, to, code);
  return code;
}

}  // namespace headscope::platform
