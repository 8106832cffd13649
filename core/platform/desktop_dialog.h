// Desktop dialog: the desktop's own dialog for a file to open or to save. On Linux a program that
// desktops bring shows it (zenity or kdialog), on Windows the system does. Elsewhere there is none,
// and the interface's own browser of folders stands alone (app/ui/file_dialog.h).
//
//   if (auto dialog = DesktopDialog::open({.saves = false, .folder = "/home/ada"})) …
//   while (!dialog->ended()) …                 // the window draws on
//   const std::filesystem::path chosen = dialog->chosen();  // empty: cancelled
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace headscope::platform {

class DesktopDialog {
 public:
  struct Asked {
    bool saves = false;
    std::filesystem::path folder;  // shown at first
    std::string name;              // suggested for a file to be saved
    std::string title;
  };
  /// Returns whether this desktop has such a dialog.
  static bool available();
  /// Opens the dialog; null where it does not open. On Windows it returns once the dialog is
  /// closed.
  static std::unique_ptr<DesktopDialog> open(const Asked& asked);
  /// Closes the dialog, unless it has been closed.
  virtual ~DesktopDialog() = default;
  DesktopDialog(const DesktopDialog&) = delete;
  DesktopDialog& operator=(const DesktopDialog&) = delete;

  virtual bool ended() = 0;
  /// The chosen path once it has ended. Empty: cancelled.
  virtual std::filesystem::path chosen() = 0;

 protected:
  DesktopDialog() = default;
};

}  // namespace headscope::platform
