// Progress: which scenes of lessons were done, and whether the start panel was closed; kept in the
// state folder of this machine, and nowhere else.
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

/// What is kept there; as at the first start where nothing is, or what is there cannot be read.
Progress loadProgress(const std::filesystem::path& folder);
/// Throws UserError where it cannot be written.
void saveProgress(const std::filesystem::path& folder, const Progress& progress);

}  // namespace headscope
