// Folders: where this system keeps what belongs to its user.
#pragma once

#include <filesystem>

namespace headscope::platform {

/// Returns the user's home folder; empty where it is not known.
std::filesystem::path homeFolder();

/// Returns the folder in which programs keep their state: $XDG_STATE_HOME or ~/.local/state; on
/// Windows %LOCALAPPDATA%, which stays on this machine as the sizes of its screens do. Empty where
/// it is not known.
std::filesystem::path stateFolder();

/// The environment variable that names stateFolder().
extern const char* const kStateVariable;

}  // namespace headscope::platform
