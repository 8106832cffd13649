#include <ft2build.h>
#include <stdlib.h>
#include FT_FREETYPE_H

#include <cstdint>
#include <filesystem>

#include "app/host/system_fonts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/platform/paths.h"

namespace headscope::host {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 64U << 20U;  // the largest file of a typeface

/// Typefaces of Windows 10 and 11, those of many scripts first. Some come with a language alone.
constexpr const char* kTypefaces[] = {
    "segoeui.ttf",   // Latin, Greek, Cyrillic, Hebrew, Arabic
    "seguisym.ttf",  // symbols
    "YuGothM.ttc",   // Japanese
    "msgothic.ttc",  // likewise
    "msyh.ttc",      // simplified Chinese
    "msjh.ttc",      // traditional Chinese
    "malgun.ttf",    // Korean
    "Nirmala.ttc",   // scripts of India
    "Nirmala.ttf",   // likewise, before Windows 11
    "LeelawUI.ttf",  // Thai, Lao, Khmer
    "mmrtext.ttf",   // Burmese
    "himalaya.ttf",  // Tibetan
    "sylfaen.ttf",   // Armenian, Georgian
    "ebrima.ttf",    // scripts of Africa
    "seguiemj.ttf",  // emoji
};

class FreeType {
 public:
  FreeType() { failed_ = FT_Init_FreeType(&library_) != 0; }
  ~FreeType() {
    if (!failed_) FT_Done_FreeType(library_);
  }
  FreeType(const FreeType&) = delete;
  FreeType& operator=(const FreeType&) = delete;

  /// Removes the letters that a typeface's file contains, and returns how many it removed.
  std::size_t removeFound(const std::string& file, std::set<char32_t>& letters) const {
    FT_Face face = nullptr;
    if (failed_ || FT_New_Memory_Face(library_, reinterpret_cast<const FT_Byte*>(file.data()),
                                      static_cast<FT_Long>(file.size()), 0, &face) != 0) {
      return 0;
    }
    const std::size_t removed = std::erase_if(
        letters, [face](char32_t letter) { return FT_Get_Char_Index(face, letter) != 0; });
    FT_Done_Face(face);
    return removed;
  }

 private:
  FT_Library library_ = nullptr;
  bool failed_ = false;
};

}  // namespace

std::vector<ui::FoundFont> systemFontsWith(const std::set<char32_t>& letters) {
  std::vector<ui::FoundFont> found;
  const wchar_t* root = ::_wgetenv(L"SystemRoot");
  if (root == nullptr) return found;
  const FreeType freeType;
  std::set<char32_t> missing = letters;
  for (const char* name : kTypefaces) {
    const fs::path path = fs::path(root) / "Fonts" / name;
    if (missing.empty()) break;
    if (!platform::isRegularFile(path)) continue;
    try {
      auto file = std::make_shared<const std::string>(readText(path, kMostBytes, "typeface"));
      if (ui::isWholeFont(*file, 0) && freeType.removeFound(*file, missing) > 0) {
        found.push_back({std::move(file), 0});
      }
    } catch (const UserError&) {  // the others may still be readable
    }
  }
  return found;
}

}  // namespace headscope::host
