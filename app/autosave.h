// Autosave files: the file in which a process stores unsaved work, and those left by processes that
// ended unexpectedly.
//
// The file is autosave-<pid>.headscope.json in the state folder, with its tensors. A lock on
// autosave-<pid>.lock shows that its process still runs.
#pragma once

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/platform/files.h"

namespace headscope {

/// Returns the program's folder in platform::stateFolder(); empty where that is not known.
std::filesystem::path stateFolder();
/// Returns the message for an empty state folder, with the remedy.
std::string noStateFolder();

/// This process's own autosave file, reserved by a lock for the lifetime of the object.
class AutosaveSlot {
 public:
  /// Creates the folder. Throws UserError on failure.
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
  std::string origin;  // the session's own file; empty before its first save
  std::filesystem::file_time_type written;
};

/// Returns the autosaves whose processes no longer run, the newest first. Removes the locks and the
/// half-written files that such processes left.
std::vector<AbandonedAutosave> abandonedAutosaves(const std::filesystem::path& folder);

/// "14:32", or "20 Nov 2026 14:32" for another day.
std::string timeInWords(std::filesystem::file_time_type time, std::time_t now);

}  // namespace headscope
