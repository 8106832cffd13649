#include "app/autosave.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/formats/session.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "autosave-";
constexpr std::string_view kLockEnding = ".lock";

fs::path lockOf(const fs::path& autosave) {
  return autosave.parent_path() / (formats::sessionName(autosave) + std::string(kLockEnding));
}

/// Whether the path still leads to the file that is open: another may have removed it since.
bool leadsTo(const fs::path& path, int file) {
  struct stat there {};
  struct stat open {};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(file, &open) == 0 &&
         there.st_ino == open.st_ino && there.st_dev == open.st_dev;
}

/// The lock, or −1 where another holds it. Only who has it removes its file, so that nobody locks
/// one that others no longer see.
int tryLock(const fs::path& path, int flags) {
  while (true) {
    const int lock = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
    if (lock < 0) return -1;
    const bool locked = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (locked && leadsTo(path, lock)) return lock;
    const int why = errno;
    ::close(lock);
    errno = why;
    if (!locked) return -1;
    if ((flags & O_CREAT) == 0) return -1;  // whoever had it has just removed it
  }
}

/// Removes a lock's file; false where its program runs.
bool clearLock(const fs::path& path) {
  std::error_code code;
  if (!fs::exists(path, code)) return true;
  const int lock = tryLock(path, 0);
  if (lock < 0) return !fs::exists(path, code);
  fs::remove(path, code);
  ::close(lock);
  return true;
}

}  // namespace

fs::path stateFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && fs::path(state).is_absolute()) return fs::path(state) / "headscope";
  const char* home = std::getenv("HOME");
  if (home == nullptr || !fs::path(home).is_absolute()) return {};
  return fs::path(home) / ".local" / "state" / "headscope";
}

AutosaveSlot::AutosaveSlot(const fs::path& folder) {
  constexpr int kAttempts = 100;
  std::error_code code;
  fs::create_directories(folder, code);
  for (int n = 0; n < kAttempts && lock_ < 0; ++n) {
    const std::string name =
        fmt::format("{}{}{}", kPrefix, ::getpid(), n == 0 ? "" : fmt::format("-{}", n + 1));
    path_ = folder / (name + formats::kSessionEnding);
    lockPath_ = lockOf(path_);
    if (fs::exists(path_, code)) continue;  // an earlier program of the same number
    errno = 0;
    lock_ = tryLock(lockPath_, O_CREAT);
    if (lock_ < 0 && errno != EWOULDBLOCK) break;
  }
  if (lock_ >= 0) return;
  throw UserError(fmt::format(
      "what is not saved yet cannot be kept in {}: {}; save often, or set XDG_STATE_HOME",
      folder.string(), std::strerror(errno)));
}

AutosaveSlot::~AutosaveSlot() {
  std::error_code code;
  fs::remove(lockPath_, code);
  ::close(lock_);
}

std::vector<AbandonedAutosave> abandonedAutosaves(const fs::path& folder) {
  std::vector<AbandonedAutosave> found;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const fs::path& path = at->path();
    if (!path.filename().string().starts_with(kPrefix)) continue;
    if (path.extension() == kLockEnding) clearLock(path);  // left behind without an autosave, say
    if (!formats::isSession(path)) continue;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !clearLock(lockOf(path))) continue;
    found.push_back({path, formats::originOf(path), status.st_mtime});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.written != b.written ? a.written > b.written : a.path > b.path;
  });
  return found;
}

std::string timeInWords(std::time_t time, std::time_t now) {
  std::tm then{};
  std::tm today{};
  ::localtime_r(&time, &then);
  ::localtime_r(&now, &today);
  const bool sameDay = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), sameDay ? "%H:%M" : "%d %b %H:%M", &then);
  return text.data();
}

}  // namespace headscope
