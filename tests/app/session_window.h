// Session window: the program with a folder for sessions, and one for what it has not saved.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

#include "../core/test_files.h"
#include "app_driver.h"
#include "core/formats/session.h"

namespace headscope::ui {

class SessionWindow : public testing::Test {
 protected:
  std::filesystem::path lecture() const { return folder_ / "lecture.headscope.json"; }
  void saveAs(const std::filesystem::path& path) {
    ui_.press(Key{'S'}, true, true);
    ui_.press(Key{'A'}, true);
    ui_.type(path.string());
    ui_.press(Key::enter);
  }

  TempFolder folder_;
  AppDriver ui_;
};

class Autosave : public SessionWindow {
 protected:
  std::vector<std::filesystem::path> autosaves() const {
    std::vector<std::filesystem::path> found;
    std::error_code code;
    for (std::filesystem::directory_iterator at(state_.path(), code), end; at != end; ++at) {
      if (formats::isSession(at->path())) found.push_back(at->path());
    }
    return found;
  }
  /// Copies the files as a program that was killed would leave them.
  void leaveIn(const TempFolder& folder) const {
    for (const auto& entry : std::filesystem::directory_iterator(state_.path())) {
      if (entry.path().extension() != ".lock") {
        std::filesystem::copy(entry.path(), folder / entry.path().filename().string());
      }
    }
  }

  TempFolder state_;
};

}  // namespace headscope::ui
