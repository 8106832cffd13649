// Session controls: the menu with the session's name, the dialog that opens or saves a session, and
// the offer to restore unsaved work after the program ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/frame_context.h"

namespace headscope::ui {

struct PanelContext;

struct SessionMenu {
  std::string name;  // empty: not saved yet
  bool unsaved = false;
};

float sessionMenuWidth(const FrameContext& look, const SessionMenu& menu);
/// Draws the commands on a session as menu items.
void sessionItems(const PanelContext& panel);
/// Draws a button at the cursor and its menu below.
void sessionMenu(const PanelContext& panel, const SessionMenu& menu);

/// The dialog that asks which session to open, or where to save this one.
class SessionDialog {
 public:
  struct Answer {
    std::optional<std::filesystem::path> open, save;
    std::optional<std::filesystem::path> saveOver;  // replaces the file, whatever it now contains
    bool saveElsewhere = false;
  };

  void askToOpen() { appear(Mode::open, {}); }
  /// `name`: the suggested name, without extension.
  void askToSave(const std::string& name) { appear(Mode::save, name); }
  /// Asks whether to replace a file that has changed since it was opened or saved here.
  void askToReplace(const std::filesystem::path& path);
  /// Draws the dialog. `current`: the session's own file, which may be replaced without asking.
  /// `unsaved`: the beginning of a sentence on the work that opening another session would lose;
  /// empty where nothing is unsaved.
  Answer draw(const FrameContext& look, const std::filesystem::path& current,
              const std::string& unsaved);

 private:
  enum class Mode { closed, open, save, replace };
  void appear(Mode mode, std::string path);
  std::optional<std::filesystem::path> accepted(const std::filesystem::path& current,
                                                const std::string& unsaved);
  bool foundList(const FrameContext& look);
  Answer askedToReplace(const FrameContext& look, bool& closes);

  Mode mode_ = Mode::closed;
  bool appearing_ = false;
  bool focusing_ = false;             // the field takes the keyboard: at first and after a problem
  std::string path_;                  // as typed
  std::string problem_;               // why the path cannot be used, or a warning
  std::filesystem::path replacing_;   // the file that the user was asked whether to replace
  std::filesystem::path leavingFor_;  // … the session for which unsaved work may be lost
  std::filesystem::path folder_;      // folder of the last session opened or saved
  std::vector<std::string> found_;    // the sessions there, newest first
};

/// Parses a typed path: "~/" is the home folder, and a relative path starts at `folder`.
std::filesystem::path typedPath(const std::string& text, const std::filesystem::path& folder);

enum class Recovery { undecided, restore, discard };

/// Draws the offer to restore, centred in the window below `top`. `question` describes the unsaved
/// work; `height` receives the banner's height with its gaps.
Recovery recoveryBanner(const FrameContext& look, const std::string& question, float top,
                        float& height);

}  // namespace headscope::ui
