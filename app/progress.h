// Progress: the finished scenes of lessons, and whether the start panel was closed; stored only in
// the state folder of this machine.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>

namespace headscope {

struct Progress {
  std::set<std::string> scenes;  // "03_by_hand/3"
  bool startClosed = false;

  bool operator==(const Progress&) const = default;
};

/// Returns the stored progress; the initial progress where none is stored or readable.
Progress loadProgress(const std::filesystem::path& folder);
/// Stores the progress. Throws UserError where it cannot be written.
void saveProgress(const std::filesystem::path& folder, const Progress& progress);

/// The progress with the state of the start panel, kept in a folder.
class StoredProgress {
 public:
  /// `folder` empty: nothing is kept on this machine.
  explicit StoredProgress(std::filesystem::path folder)
      : folder_(std::move(folder)), kept_(loadProgress(folder_)), startClosed_(kept_.startClosed) {}

  const std::set<std::string>& scenes() const { return kept_.scenes; }
  bool startOpen() const { return startAsked_ || (!folder_.empty() && !startClosed_); }
  void openStart() { startAsked_ = true; }
  void closeStart() {
    startClosed_ = true;
    startAsked_ = false;
  }
  /// Stores what has changed. Throws UserError.
  void keep(const std::set<std::string>& scenes) {
    if (folder_.empty() || Progress{scenes, startClosed_} == kept_) return;
    kept_ = {scenes, startClosed_};
    saveProgress(folder_, kept_);
  }

 private:
  std::filesystem::path folder_;
  Progress kept_;  // as the folder has it
  bool startClosed_;
  bool startAsked_ = false;  // the start panel was requested again
};

}  // namespace headscope
