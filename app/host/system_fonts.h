// System fonts: finds the installed typefaces that contain certain letters: with fontconfig, or on
// Windows among those that come with it (windows_fonts.cpp).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/ui/fonts.h"

namespace headscope::host {

/// Returns installed outline typefaces, the preferred sans serif first, each with at least one of
/// the letters that those before it lack. Takes up to a second where fontconfig has no cache.
/// Returns none on other systems where the program was built without fontconfig.
std::vector<ui::FoundFont> systemFontsWith(const std::set<char32_t>& letters);

}  // namespace headscope::host
