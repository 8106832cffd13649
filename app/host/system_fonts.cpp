#include "app/host/system_fonts.h"

#ifdef HEADSCOPE_FONTCONFIG
#include <fontconfig/fontconfig.h>
#endif

#include "core/base/error.h"
#include "core/base/files.h"

namespace headscope::host {

#ifdef HEADSCOPE_FONTCONFIG

namespace {

template <auto Destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* object) const {
    Destroy(object);
  }
};
using CharSet = std::unique_ptr<FcCharSet, Destroyer<FcCharSetDestroy>>;
using Pattern = std::unique_ptr<FcPattern, Destroyer<FcPatternDestroy>>;
using FontSet = std::unique_ptr<FcFontSet, Destroyer<FcFontSetDestroy>>;
using Config = std::unique_ptr<FcConfig, Destroyer<FcConfigDestroy>>;

constexpr std::uintmax_t kMostBytes = 64U << 20U;  // the largest file of a typeface

/// Reads a typeface's file; null where it is unreadable or cannot be drawn.
std::shared_ptr<const std::string> readFont(const char* path, int face) {
  try {
    auto file = std::make_shared<const std::string>(readText(path, kMostBytes, "typeface"));
    return ui::isWholeFont(*file, face) ? file : nullptr;
  } catch (const UserError&) {
    return nullptr;
  }
}

}  // namespace

std::vector<ui::FoundFont> systemFontsWith(const std::set<char32_t>& letters) {
  std::vector<ui::FoundFont> found;
  const Config config(FcInitLoadConfigAndFonts());
  CharSet missing(FcCharSetCreate());
  const Pattern wish(FcPatternCreate());
  if (!config || !missing || !wish || letters.empty()) return found;
  for (const char32_t letter : letters) FcCharSetAddChar(missing.get(), letter);
  FcPatternAddCharSet(wish.get(), FC_CHARSET, missing.get());
  FcPatternAddString(wish.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
  FcPatternAddBool(wish.get(), FC_OUTLINE, FcTrue);
  FcConfigSubstitute(config.get(), wish.get(), FcMatchPattern);
  FcDefaultSubstitute(wish.get());
  FcResult result = FcResultNoMatch;
  const FontSet fonts(FcFontSort(config.get(), wish.get(), FcTrue, nullptr, &result));
  for (int i = 0; fonts && i < fonts->nfont && FcCharSetCount(missing.get()) > 0; ++i) {
    FcPattern* font = fonts->fonts[i];
    FcChar8* path = nullptr;
    int face = 0;
    FcCharSet* covered = nullptr;
    if (FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch ||
        FcPatternGetInteger(font, FC_INDEX, 0, &face) != FcResultMatch ||
        FcPatternGetCharSet(font, FC_CHARSET, 0, &covered) != FcResultMatch ||
        FcCharSetIntersectCount(missing.get(), covered) == 0) {
      continue;
    }
    face &= 0xFFFF;  // the upper bits number the instance of a variable typeface
    if (auto file = readFont(reinterpret_cast<const char*>(path), face)) {
      found.push_back({std::move(file), face});
      missing.reset(FcCharSetSubtract(missing.get(), covered));
    }
  }
  return found;
}

#else

std::vector<ui::FoundFont> systemFontsWith(const std::set<char32_t>&) { return {}; }

#endif

}  // namespace headscope::host
