#include "core/platform/folders.h"

#include <cstdlib>

namespace headscope::platform {
namespace fs = std::filesystem;
namespace {

/// Returns an absolute path of the environment, or an empty one.
fs::path fromEnvironment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && fs::path(value).is_absolute() ? fs::path(value) : fs::path();
}

}  // namespace

const char* const kStateVariable = "XDG_STATE_HOME";

fs::path homeFolder() { return fromEnvironment("HOME"); }

fs::path stateFolder() {
  if (fs::path state = fromEnvironment(kStateVariable); !state.empty()) return state;
  const fs::path home = homeFolder();
  if (home.empty()) return home;
#ifdef __APPLE__
  return home / "Library" / "Application Support";
#else
  return home / ".local" / "state";
#endif
}

}  // namespace headscope::platform
