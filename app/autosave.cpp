#include "app/autosave.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/translation.h"
#include "core/formats/session.h"
#include "core/platform/folders.h"
#include "core/platform/process.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "autosave-";
constexpr std::string_view kLockEnding = ".lock";

fs::path lockOf(const fs::path& autosave) {
  return autosave.parent_path() / (formats::sessionName(autosave) + std::string(kLockEnding));
}

/// Removes a lock's file. Returns false where its process still runs.
bool clearLock(const fs::path& path) {
  std::error_code code;
  if (!fs::exists(path, code)) return true;
  const auto lock = platform::FileLock::tryNow(path, false, code);
  if (lock == nullptr) return !fs::exists(path, code);
  lock->remove();
  return true;
}

}  // namespace

fs::path stateFolder() {
  const fs::path state = platform::stateFolder();
  return state.empty() ? state : state / "headscope";
}

std::string noStateFolder() {
  return trFormat(
      "{} names no folder where what is not saved could be kept: save often (ctrl+s), or set it "
      "and "
      "start headscope again",
      platform::kStateVariable);
}

AutosaveSlot::AutosaveSlot(const fs::path& folder) {
  constexpr int kAttempts = 100;
  std::error_code code;
  fs::create_directories(folder, code);
  for (int n = 0; n < kAttempts && lock_ == nullptr; ++n) {
    const std::string name = fmt::format("{}{}{}", kPrefix, platform::processId(),
                                         n == 0 ? "" : fmt::format("-{}", n + 1));
    path_ = folder / (name + formats::kSessionEnding);
    if (fs::exists(path_, code)) continue;  // left by an earlier process with this id
    lock_ = platform::FileLock::tryNow(lockOf(path_), true, code);
    if (code && code != std::errc::operation_would_block) break;
  }
  if (lock_ != nullptr) return;
  throw UserError(trFormat("unsaved changes cannot be stored in {}: {}; save often, or set {}",
                           folder.string(), code.message(), platform::kStateVariable));
}

AutosaveSlot::~AutosaveSlot() { lock_->remove(); }

std::vector<AbandonedAutosave> abandonedAutosaves(const fs::path& folder) {
  std::vector<AbandonedAutosave> found;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const fs::path& path = at->path();
    const std::string name = path.filename().string();
    if (!name.starts_with(kPrefix)) continue;
    if (!targetOfDeadTemporary(name).empty()) removeDeadTemporary(path);
    if (path.extension() == kLockEnding) clearLock(path);  // for instance, left without an autosave
    if (!formats::isSession(path)) continue;
    const fs::file_time_type written = fs::last_write_time(path, code);
    if (!code && clearLock(lockOf(path))) found.push_back({path, formats::originOf(path), written});
    code.clear();
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.written != b.written ? a.written > b.written : a.path > b.path;
  });
  return found;
}

std::string timeInWords(fs::file_time_type time, std::time_t now) {
  // the clock of files may differ from the system's
  const auto ago =
      std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - time);
  const std::tm then = fmt::localtime(now - static_cast<std::time_t>(ago.count()));
  const std::tm today = fmt::localtime(now);
  const bool sameDay = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
  return sameDay ? fmt::format("{:%H:%M}", then) : fmt::format("{:%d %b %Y %H:%M}", then);
}

}  // namespace headscope
