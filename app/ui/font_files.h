// Font files: the typefaces embedded at build time (third_party/fonts.cmake finds them), and the
// interface's fonts made of them or of others.
#pragma once

#include <imgui.h>

#include <string_view>

#include "app/ui/fonts.h"

namespace headscope::ui {

enum class FontFace { regular, semibold, mono, symbols };

/// The OpenType or TrueType file; empty where it was not found when the program was built.
std::string_view fontFile(FontFace face);

/// It has the tables that letters are drawn from, and none ends after the file: Dear ImGui aborts
/// on what is no typeface.
bool isWholeFont(std::string_view file);

using FontFiles = std::string_view (*)(FontFace face);

/// As loadFonts. For a typeface that is missing or damaged another one, in the end ImGui's own.
Fonts fillAtlas(ImFontAtlas& atlas, float scale, FontFiles files);

}  // namespace headscope::ui
