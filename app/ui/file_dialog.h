// File dialog: chooses what to open, among the recent files and in a browser of folders, and where
// to save a session. A button opens the desktop's own dialog where there is one. A path that cannot
// be used is explained, and the dialog stays open.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/frame_context.h"
#include "core/platform/desktop_dialog.h"

namespace headscope::ui {

/// The contents of a folder that the program can open: sub-folders first, then files, each in the
/// order of their names.
struct FolderListing {
  struct Item {
    std::string name;
    bool folder = false;
    bool model = false;  // a folder with a config.json
  };
  std::vector<Item> items;
  bool more = false;  // there are more items than are listed
};
/// Lists a folder; empty where it cannot be read. Hidden files are left out.
FolderListing listFolder(const std::filesystem::path& folder);

/// Parses a typed path: "~/" is the home folder, and a relative path starts at `folder`.
std::filesystem::path typedPath(const std::string& text, const std::filesystem::path& folder);

class FileDialog {
 public:
  struct Answer {
    std::optional<std::filesystem::path> open;  // a file, or a model's folder
    std::optional<std::filesystem::path> save;
    std::optional<std::filesystem::path> saveOver;  // replaces the file, whatever it now contains
    bool saveElsewhere = false;
  };
  struct Given {
    const std::filesystem::path& current;    // the session's own file, replaced without asking
    const std::string& unsaved;              // the beginning of a sentence on the work that opening
                                             // another session would lose; empty: none
    const std::vector<std::string>& recent;  // paths, the last opened first
  };

  void askToOpen() { appear(Mode::open, {}); }
  /// `name`: the suggested name, without extension.
  void askToSave(const std::string& name) { appear(Mode::save, name); }
  /// Asks whether to replace a file that has changed since it was opened or saved here.
  void askToReplace(const std::filesystem::path& path);
  Answer draw(const FrameContext& look, const Given& given);

 private:
  enum class Mode { closed, open, save, replace };
  void appear(Mode mode, std::string path);
  void show(const std::filesystem::path& folder);
  std::optional<std::filesystem::path> accepted(const Given& given);
  std::optional<std::filesystem::path> acceptedToOpen(std::filesystem::path path,
                                                      const Given& given);
  std::optional<std::filesystem::path> acceptedToSave(std::filesystem::path path,
                                                      const Given& given);
  void recentList(const FrameContext& look, const Given& given, bool& taken);
  void folderList(const FrameContext& look, bool& taken);
  bool desktopDialog(const FrameContext& look);
  Answer askedToReplace(const FrameContext& look, bool& closes);

  Mode mode_ = Mode::closed;
  bool appearing_ = false;
  bool focusing_ = false;             // the field takes the keyboard: at first and after a problem
  std::string path_;                  // as typed
  std::string problem_;               // why the path cannot be used, or a warning
  std::filesystem::path replacing_;   // the file that the user was asked whether to replace
  std::filesystem::path leavingFor_;  // … the session for which unsaved work may be lost
  std::filesystem::path folder_;      // the one that is shown
  FolderListing listing_;             // its contents
  std::unique_ptr<platform::DesktopDialog> desktop_;  // while the desktop's own dialog is open
};

}  // namespace headscope::ui
