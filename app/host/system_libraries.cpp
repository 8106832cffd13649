#include "app/host/system_libraries.h"

#if defined(__linux__) && !defined(__EMSCRIPTEN__)
#include <dlfcn.h>
#endif

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace headscope::host {
namespace {

struct SystemLibrary {
  std::vector<const char*> names;  // any one of them suffices
  const char* packages;            // the packages in Debian and Ubuntu
};

const SystemLibrary kX11{{"libX11.so.6"}, "libx11-6"};
const SystemLibrary kGl{{"libGL.so.1"}, "libgl1 libgl1-mesa-dri"};
const SystemLibrary kGlOfEgl{{"libGL.so.1", "libOpenGL.so.0"}, "libgl1 libgl1-mesa-dri"};
const SystemLibrary kEgl{{"libEGL.so.1"}, "libegl1"};

/// Returns whether a library can be loaded; always true on systems that include these libraries.
bool loads(const char* name) {
#if defined(__linux__) && !defined(__EMSCRIPTEN__)
  void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return false;
  dlclose(library);
#else
  (void)name;
#endif
  return true;
}

std::string missingOf(std::initializer_list<const SystemLibrary*> libraries) {
  std::vector<std::string> names;
  std::vector<std::string> packages;
  for (const SystemLibrary* library : libraries) {
    if (std::any_of(library->names.begin(), library->names.end(), loads)) continue;
    names.emplace_back(library->names.front());
    packages.emplace_back(library->packages);
  }
  if (names.empty()) return {};
  const bool one = names.size() == 1;
  return fmt::format("{}, which {} not installed: install {} (Debian and Ubuntu: apt install {})",
                     fmt::join(names, " and "), one ? "is" : "are", one ? "it" : "them",
                     fmt::join(packages, " "));
}

}  // namespace

std::string missingForWindow() { return missingOf({&kX11, &kGl}); }

std::string missingForDrawing() { return missingOf({&kEgl, &kGlOfEgl}); }

const char* driverAdvice() {
#ifdef _WIN32
  return "install the driver of the graphics card's maker";
#elif defined(__APPLE__)
  return "macOS has it in a session at its own screen";
#else
  return "install a driver (Debian and Ubuntu: apt install libgl1-mesa-dri)";
#endif
}

}  // namespace headscope::host
