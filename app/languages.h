// Languages of the interface: English, those of assets/languages, and tables that the user puts
// into the folder `languages` of the state folder (core/base/translation.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

struct Languages {
  std::vector<std::string> names{"English"};  // as their speakers call them; English first
  std::string problem;                        // of a table that cannot be used; empty: none
};

/// Finds the languages, and shows the interface in the one of the name `chosen` where there is one.
/// `stateFolder` may be empty. Call it before the first window.
Languages useLanguage(const std::filesystem::path& stateFolder, const std::string& chosen);

}  // namespace headscope
