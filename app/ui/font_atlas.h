// Font atlas: the interface's fonts, made of given typefaces.
#pragma once

#include <imgui.h>

#include <string_view>

#include "app/ui/font_files.h"
#include "app/ui/fonts.h"

namespace headscope::ui {

using FontFiles = std::string_view (*)(FontFace face);

/// As loadFonts. For a typeface that is missing or damaged another one, in the end ImGui's own.
Fonts fillAtlas(ImFontAtlas& atlas, float scale, FontFiles files);

}  // namespace headscope::ui
