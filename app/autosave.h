// Autosave files: where a program keeps what is not saved yet, and those that programs which ended
// unexpectedly have left.
//
// autosave-<pid>.headscope.json in the state folder, with its tensors; a lock on
// autosave-<pid>.lock says that its program still runs.
#pragma once

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/platform/files.h"

namespace headscope {

/// $XDG_STATE_HOME/headscope, or ~/.local/state/headscope; empty where neither is known.
std::filesystem::path stateFolder();
/// Why it is empty, and the way out.
inline constexpr const char* kNoStateFolder =
    "neither HOME nor XDG_STATE_HOME names a folder where what is not saved could be kept: save "
    "often (ctrl+s), or set one of them and start headscope again";

/// This program's own place for as long as it lives.
class AutosaveSlot {
 public:
  /// Makes the folder. Throws UserError where it cannot.
  explicit AutosaveSlot(const std::filesystem::path& folder);
  ~AutosaveSlot();
  AutosaveSlot(const AutosaveSlot&) = delete;
  AutosaveSlot& operator=(const AutosaveSlot&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<platform::FileLock> lock_;
};

struct AbandonedAutosave {
  std::filesystem::path path;
  std::string origin;  // the session it is of, empty before its first save
  std::filesystem::file_time_type written;
};

/// Those whose programs are gone, the newest first. Locks that such programs left behind go.
std::vector<AbandonedAutosave> abandonedAutosaves(const std::filesystem::path& folder);

/// "14:32", or "20 Nov 2026 14:32" of another day.
std::string timeInWords(std::filesystem::file_time_type time, std::time_t now);

}  // namespace headscope
