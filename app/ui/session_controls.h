// Session controls: the menu with the session's name, the dialog that asks which session to open or
// where to save this one, and the offer to restore what was not saved when a program ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

struct SessionMenu {
  std::string name;  // empty: not saved yet
  bool unsaved = false;
  // asked for in this frame
  bool open = false, save = false, saveAs = false, copyLink = false, scenes = false;
};

float sessionMenuWidth(const FrameContext& look, const SessionMenu& menu);
/// What can be done with a session, as a menu's items.
void sessionItems(const FrameContext& look, SessionMenu& menu);
/// A button at the cursor, its menu below.
void sessionMenu(const FrameContext& look, SessionMenu& menu);

/// Asks which session to open, or where to save this one.
class SessionDialog {
 public:
  struct Answer {
    std::optional<std::filesystem::path> open, save;
    std::optional<std::filesystem::path> saveOver;  // whatever the file holds by now
    bool saveElsewhere = false;
  };

  void askToOpen() { appear(Mode::open, {}); }
  /// `name`: what to call it, without ending.
  void askToSave(const std::string& name) { appear(Mode::save, name); }
  /// The file has changed since it was opened or saved here: whether to save over that.
  void askToReplace(const std::filesystem::path& path);
  /// `current`: the session's own file, which may be replaced without asking. `unsaved`: what
  /// opening another leaves, as a sentence begins; empty where nothing is unsaved.
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
  bool focusing_ = false;             // the field gets the keyboard: at first, and after a problem
  std::string path_;                  // as typed
  std::string problem_;               // why it cannot be used, or what to know first
  std::filesystem::path replacing_;   // asked once whether that may be replaced
  std::filesystem::path leavingFor_;  // … whether what is unsaved may be left for that
  std::filesystem::path folder_;      // of the last session opened or saved
  std::vector<std::string> found_;    // the sessions there, newest first
};

/// What is typed as a path: "~/" is the home folder, others are taken from `folder`.
std::filesystem::path typedPath(const std::string& text, const std::filesystem::path& folder);

enum class Recovery { undecided, restore, discard };

/// `question`: what there is. From `top` on, across the window; `height` is what it takes there,
/// with the gaps around it.
Recovery recoveryBanner(const FrameContext& look, const std::string& question, float top,
                        float& height);

}  // namespace headscope::ui
