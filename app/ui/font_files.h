// Font files: the typefaces embedded at build time (third_party/fonts.cmake finds them).
#pragma once

#include <string_view>

namespace headscope::ui {

enum class FontFace { regular, semibold, mono, symbols };

/// The OpenType or TrueType file; empty where it was not found when the program was built.
std::string_view fontFile(FontFace face);

/// It has the tables that letters are drawn from, and none ends after the file: Dear ImGui aborts
/// on what is no typeface.
bool isWholeFont(std::string_view file);

}  // namespace headscope::ui
