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
  bool open = false, save = false, saveAs = false, scenes = false;
};

float sessionMenuWidth(const Look& look, const SessionMenu& menu);
/// What can be done with a session, as a menu's items.
void sessionItems(SessionMenu& menu);
/// A button at the cursor, its menu below.
void sessionMenu(const Look& look, SessionMenu& menu);

struct SessionDialogMemory {
  enum class Mode { closed, open, save };
  Mode mode = Mode::closed;
  bool appearing = false;
  bool focusing = false;             // the field gets the keyboard: at first, and after a problem
  std::string path;                  // as typed
  std::string problem;               // why it cannot be used, or what to know first
  std::filesystem::path replacing;   // asked once whether that may be replaced
  std::filesystem::path leavingFor;  // … whether what is unsaved may be left for that
  std::filesystem::path folder;      // of the last session opened or saved
  std::vector<std::string> found;    // the sessions there, newest first
};

void askToOpen(SessionDialogMemory& memory);
/// `name`: what to call it, without ending.
void askToSave(SessionDialogMemory& memory, const std::string& name);

struct SessionDialogAnswer {
  std::optional<std::filesystem::path> open, save;
};
/// `current`: the session's own file, which may be replaced without asking. `unsaved`: what opening
/// another leaves, as a sentence begins; empty where nothing is unsaved.
SessionDialogAnswer sessionDialog(const Look& look, SessionDialogMemory& memory,
                                  const std::filesystem::path& current, const std::string& unsaved);

/// What is typed as a path: "~/" is the home folder, others are taken from `folder`.
std::filesystem::path typedPath(const std::string& text, const std::filesystem::path& folder);

enum class Recovery { undecided, restore, discard };

/// `question`: what there is. From `top` on, across the window; `height` is what it takes there,
/// with the gaps around it.
Recovery recoveryBanner(const Look& look, const std::string& question, float top, float& height);

}  // namespace headscope::ui
