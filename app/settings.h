// Settings: what the program remembers on this machine from one run to the next: theme, interface
// size, colour maps, page, the window's size, and the files that were opened last. They are kept in
// the state folder and nowhere else.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/view_state.h"

namespace headscope {

struct Settings {
  std::optional<ui::ThemeKind> theme;  // none of the optional ones was kept yet
  std::optional<ui::Palette> palette;
  std::optional<float> scale;  // of the interface …
  float monitorScale = 1.0F;   // … on a monitor of this content scale
  std::string language;        // of the interface, as its speakers call it; empty: English
  std::optional<int> colorMaps;
  std::optional<bool> animate;
  std::string page;                       // its id; empty: the first
  int windowWidth = 0, windowHeight = 0;  // in the units of the window system; 0: not known
  bool maximized = false;
  std::vector<std::string> recent;  // absolute paths, the last opened first

  bool operator==(const Settings&) const = default;
};

inline constexpr std::size_t kRecentFiles = 10;

/// Returns the settings of a folder; the initial ones where none are stored or readable.
Settings loadSettings(const std::filesystem::path& folder);
/// Throws UserError where the settings cannot be written.
void saveSettings(const std::filesystem::path& folder, const Settings& settings);

/// Puts a path in front of the recent ones.
void noteRecent(Settings& settings, const std::filesystem::path& path);

/// The settings of a running program, kept in a folder.
class StoredSettings {
 public:
  /// `folder` empty: nothing is kept on this machine.
  explicit StoredSettings(std::filesystem::path folder)
      : folder_(std::move(folder)), now_(loadSettings(folder_)), kept_(now_) {}

  Settings& now() { return now_; }
  const Settings& now() const { return now_; }
  /// Takes over the preferences, and the page that the user has opened.
  void follow(const ui::Preferences& preferences, const std::string& page);
  /// Stores what has changed. Throws UserError.
  void keep();

 private:
  std::filesystem::path folder_;
  Settings now_;
  Settings kept_;  // as the folder has them
};

/// Applies the settings to the view of a program that starts.
void applySettings(const Settings& settings, ui::ViewState& view);

}  // namespace headscope
