// Progress: the finished scenes of lessons, and whether the start panel was closed; stored only in
// the state folder of this machine.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace headscope {

struct Progress {
  std::set<std::string> scenes;  // "02_by_hand/3"
  bool startClosed = false;

  bool operator==(const Progress&) const = default;
};

/// Returns the stored progress; the initial progress where none is stored or readable.
Progress loadProgress(const std::filesystem::path& folder);
/// Stores the progress. Throws UserError where it cannot be written.
void saveProgress(const std::filesystem::path& folder, const Progress& progress);

}  // namespace headscope
