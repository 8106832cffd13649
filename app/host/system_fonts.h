// System fonts: the typefaces of this machine that have certain letters, found by fontconfig.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/ui/fonts.h"

namespace headscope::host {

/// Typefaces with outlines that have one of these letters at least which those before have not, as
/// far as this machine has them; the sans serif it prefers first. Takes up to a second where
/// fontconfig has not seen the fonts before. None where the program was built without fontconfig.
std::vector<ui::FoundFont> systemFontsWith(const std::set<char32_t>& letters);

}  // namespace headscope::host
