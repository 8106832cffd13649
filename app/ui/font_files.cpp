#include "app/ui/font_files.h"

#include <span>
#include <utility>

namespace headscope {

namespace embedded {
std::span<const std::pair<std::string_view, std::string_view>> fonts();
}

namespace ui {
namespace {

std::string_view fileName(FontFace face) {
  switch (face) {
    case FontFace::regular:
      return "regular";
    case FontFace::semibold:
      return "semibold";
    case FontFace::mono:
      return "mono";
    case FontFace::symbols:
      return "symbols";
  }
  return {};
}

}  // namespace

std::string_view fontFile(FontFace face) {
  for (const auto& [path, contents] : embedded::fonts()) {
    if (path == fileName(face)) return contents;
  }
  return {};
}

}  // namespace ui
}  // namespace headscope
