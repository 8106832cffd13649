#include "core/platform/folders.h"

#include <stdlib.h>

namespace headscope::platform {
namespace fs = std::filesystem;
namespace {

/// Returns an absolute path of the environment, or an empty one.
fs::path fromEnvironment(const wchar_t* variable) {
  const wchar_t* value = ::_wgetenv(variable);
  return value != nullptr && fs::path(value).is_absolute() ? fs::path(value) : fs::path();
}

}  // namespace

const char* const kStateVariable = "LOCALAPPDATA";

fs::path homeFolder() { return fromEnvironment(L"USERPROFILE"); }

fs::path stateFolder() { return fromEnvironment(L"LOCALAPPDATA"); }

}  // namespace headscope::platform
