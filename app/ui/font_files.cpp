#include "app/ui/font_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

/// A number as sfnt files hold it, high byte first; 0 after the end.
std::uint64_t bigEndian(std::string_view file, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  if (at + bytes > file.size()) return 0;
  for (const char byte : file.substr(at, bytes))
    value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

std::string_view fontFile(FontFace face) {
  for (const auto& [path, contents] : embedded::fonts()) {
    if (path == fileName(face)) return contents;
  }
  return {};
}

bool isWholeFont(std::string_view file) {
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kRecord = 16;  // tag, checksum, offset, length
  constexpr std::array<std::string_view, 5> kNeeded{"cmap", "head", "hhea", "hmtx", "maxp"};
  const std::string_view kind = file.substr(0, 4);
  if (kind != std::string_view("\0\1\0\0", 4) && kind != "OTTO" && kind != "true") return false;
  const std::size_t tables = bigEndian(file, 4, 2);
  if (kHeader + tables * kRecord > file.size()) return false;
  std::size_t needed = 0;
  bool outlines = false;
  for (std::size_t i = 0; i < tables; ++i) {
    const std::size_t at = kHeader + i * kRecord;
    if (bigEndian(file, at + 8, 4) + bigEndian(file, at + 12, 4) > file.size()) return false;
    const std::string_view tag = file.substr(at, 4);
    if (std::ranges::find(kNeeded, tag) != kNeeded.end()) ++needed;
    outlines = outlines || tag == "glyf" || tag == "CFF ";
  }
  return needed == kNeeded.size() && outlines;
}

}  // namespace ui
}  // namespace headscope
