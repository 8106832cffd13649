#include "app/ui/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace headscope::embedded {
std::span<const std::pair<std::string_view, std::string_view>> fonts();
}

namespace headscope::ui {

// The files.

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

/// Reads a big-endian number of an sfnt file; 0 past the end.
std::uint64_t sfntNumber(std::string_view file, std::size_t at, std::size_t bytes) {
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

bool isWholeFont(std::string_view file, int face) {
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kRecord = 16;  // tag, checksum, offset, length
  constexpr std::array<std::string_view, 5> kNeeded{"cmap", "head", "hhea", "hmtx", "maxp"};
  std::size_t start = 0;
  if (file.starts_with("ttcf")) {
    if (face < 0 || static_cast<std::uint64_t>(face) >= sfntNumber(file, 8, 4)) return false;
    start = sfntNumber(file, kHeader + 4 * static_cast<std::size_t>(face), 4);
  } else if (face != 0) {
    return false;
  }
  if (start >= file.size()) return false;
  const std::string_view kind = file.substr(start, 4);
  if (kind != std::string_view("\0\1\0\0", 4) && kind != "OTTO" && kind != "true") return false;
  const std::size_t tables = sfntNumber(file, start + 4, 2);
  if (start + kHeader + tables * kRecord > file.size()) return false;
  std::size_t needed = 0;
  bool outlines = false;
  for (std::size_t i = 0; i < tables; ++i) {
    const std::size_t at = start + kHeader + i * kRecord;
    if (sfntNumber(file, at + 8, 4) + sfntNumber(file, at + 12, 4) > file.size()) return false;
    const std::string_view tag = file.substr(at, 4);
    if (std::ranges::find(kNeeded, tag) != kNeeded.end()) ++needed;
    outlines = outlines || tag == "glyf" || tag == "CFF ";
  }
  return needed == kNeeded.size() && outlines;
}

// The atlas.

namespace {

// The letters of sentences and formulas: pairs of first and last, ended by 0.
constexpr ImWchar kTextRanges[] = {
    0x0020, 0x007E,  // Latin
    0x00A0, 0x00FF,  // Latin-1: umlauts, ×, ÷, ·, ±
    0x0100, 0x017F,  // Latin Extended-A
    0x0370, 0x03FF,  // Greek
    0x0400, 0x045F,  // Cyrillic
    0x2010, 0x2027,  // dashes, quotation marks, …
    0x2030, 0x205E,  // ‰, ′, ‹, ›
    0x2070, 0x209C,  // raised and lowered digits and letters
    0x20AC, 0x20AC,  // €
    0,
};
// The letters of display type, which are large: others come from the smaller fonts.
constexpr ImWchar kDisplayRanges[] = {
    0x0020, 0x007E,  // Latin
    0x00A0, 0x00FF,  // Latin-1: umlauts, ×, ÷, ·
    0x0100, 0x017F,  // Latin Extended-A
    0x2013, 0x2026,  // dashes, quotation marks, …
    0,
};
constexpr ImWchar kDisplaySymbolRanges[] = {
    0x1D42, 0x1D42,  // ᵂ
    0x2192, 0x2192,  // →
    0x221A, 0x221A,  // √
    0,
};
constexpr ImWchar kSymbolRanges[] = {
    0x1D40, 0x1D42,  // ᵀ ᵁ ᵂ
    0x1D48, 0x1D49,  // ᵈ ᵉ
    0x1D4F, 0x1D50,  // ᵏ ᵐ
    0x1D56, 0x1D5B,  // ᵖ … ᵛ
    0x1D62, 0x1D65,  // ᵢ ᵣ ᵤ ᵥ
    0x2070, 0x209C,  // ⁰ … ₜ
    0x2113, 0x2113,  // ℓ
    0x2190, 0x2199,  // ← ↑ → ↓ ↔ … ↙
    0x21A6, 0x21AA,  // ↦ … ↪
    0x21B6, 0x21BB,  // ↶ ↷ … ↻
    0x21C4, 0x21C6,  // ⇄ ⇅ ⇆
    0x21D0, 0x21D5,  // ⇐ … ⇕
    0x2200, 0x2212,  // ∀ ∂ ∅ ∇ ∈ ∏ ∑ −
    0x2215, 0x222B,  // ∕ ∘ √ ∝ ∞ ‖ ∧ ∨ ∩ ∪ ∫
    0x2248, 0x2248,  // ≈
    0x2260, 0x226B,  // ≠ ≡ ≤ ≥ ≪ ≫
    0x2282, 0x2287,  // ⊂ … ⊇
    0x2295, 0x2299,  // ⊕ ⊗ ⊙
    0x22A4, 0x22A5,  // ⊤ ⊥
    0x22C5, 0x22C6,  // ⋅ ⋆
    0x22EE, 0x22F1,  // ⋮ ⋯ ⋱
    0x2308, 0x230B,  // ⌈ ⌉ ⌊ ⌋
    0x23CE, 0x23CF,  // ⏎ ⏏
    0x25A0, 0x25A1,  // ■ □
    0x25AA, 0x25AF,  // ▪ ▬ ▮
    0x25B2, 0x25CF,  // ▲ ▶ ▸ ▼ ▾ ◀ ◂ ◆ ○ ●
    0x25E6, 0x25E6,  // ◦
    0x2600, 0x2600,  // ☀
    0x2605, 0x2606,  // ★ ☆
    0x263E, 0x263E,  // ☾
    0x2699, 0x26A0,  // ⚙ ⚠
    0x2713, 0x2718,  // ✓ ✗
    0x2A2F, 0x2A2F,  // ⨯
    0xFFFD, 0xFFFD,  // replaces a missing letter
    0,
};

std::vector<ImWchar> allRanges() {
  std::vector<ImWchar> all(std::begin(kTextRanges), std::end(kTextRanges) - 1);
  all.insert(all.end(), std::begin(kSymbolRanges), std::end(kSymbolRanges));
  return all;
}

/// The height of a line (ascent and descent) in ems. ImGui takes it as a font's size.
float linesPerEm(FontFace face) {
  switch (face) {
    case FontFace::regular:
    case FontFace::semibold:
      return 1.21F;  // Inter
    case FontFace::mono:
      return 1.32F;  // JetBrains Mono
    case FontFace::symbols:
      return 1.164F;  // DejaVu Sans
  }
  return 1.0F;
}

constexpr float kUsualLinesPerEm = 1.2F;  // of an unknown typeface

ImFontConfig config(float size) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;  // embedded in the program
  config.OversampleH = size < 28.0F ? 2 : 1;
  config.OversampleV = 1;
  config.PixelSnapH = false;
  return config;
}

/// Adds the available typefaces at the requested sizes.
class FontAdder {
 public:
  FontAdder(ImFontAtlas& atlas, FontFiles files, const MoreLetters& more)
      : atlas_(atlas), files_(files), more_(more) {}

  /// Adds a typeface for display type; `em` is the typographic size in pixels.
  ImFont* addDisplay(FontFace face, float em) const {
    if (!has(face)) return add(face, em);
    addFace(face, em, false, kDisplayRanges);
    ImFont* font = atlas_.Fonts.back();
    if (has(FontFace::symbols)) addFace(FontFace::symbols, em, true, kDisplaySymbolRanges);
    return font;
  }

  /// Adds a typeface; `em` is the typographic size in pixels.
  ImFont* add(FontFace face, float em) const {
    if (!has(face)) face = FontFace::symbols;  // DejaVu Sans has all letters as well
    if (!has(face)) {
      ImFontConfig plain = config(em);
      plain.SizePixels = em;
      return atlas_.AddFontDefault(&plain);
    }
    addFace(face, em, false, kTextRanges);
    ImFont* font = atlas_.Fonts.back();
    if (has(FontFace::symbols)) {
      static const std::vector<ImWchar> all = allRanges();  // ImGui keeps the pointer
      addFace(FontFace::symbols, em, true, all.data());
    }
    if (more_.ranges == nullptr) return font;
    if (has(FontFace::symbols)) addFace(FontFace::symbols, em, true, more_.ranges);
    for (const FoundFont& found : more_.from) {
      addFile(*found.file, found.face, std::round(em * kUsualLinesPerEm), true, more_.ranges);
    }
    return font;
  }

 private:
  bool has(FontFace face) const { return isWholeFont(files_(face)); }

  void addFace(FontFace face, float em, bool merge, const ImWchar* ranges) const {
    addFile(files_(face), 0, std::round(em * linesPerEm(face)), merge, ranges);
  }

  void addFile(std::string_view file, int face, float size, bool merge,
               const ImWchar* ranges) const {
    ImFontConfig font = config(size);
    font.MergeMode = merge;
    font.FontNo = face;
    if (merge) font.OversampleH = 1;
    // ImGui takes a non-const pointer, but only reads through it.
    atlas_.AddFontFromMemoryTTF(const_cast<char*>(file.data()), static_cast<int>(file.size()), size,
                                &font, ranges);
  }

  ImFontAtlas& atlas_;
  FontFiles files_;
  const MoreLetters& more_;
};

}  // namespace

Fonts fillAtlas(ImFontAtlas& atlas, float scale, FontFiles files, const MoreLetters& more) {
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  atlas.TexDesiredWidth = scale > 1.6F ? 4096 : 2048;
  const FontAdder adder(atlas, files, more);
  const auto add = [&](FontFace face, float points) { return adder.add(face, points * scale); };
  Fonts fonts;
  fonts.regular = add(FontFace::regular, 14.0F);
  fonts.small = add(FontFace::regular, 12.0F);
  fonts.tiny = add(FontFace::regular, 10.0F);
  fonts.semibold = add(FontFace::semibold, 15.0F);
  fonts.title = add(FontFace::semibold, 19.0F);
  const auto addDisplay = [&](FontFace face, float points) {
    return adder.addDisplay(face, points * scale);
  };
  fonts.large = addDisplay(FontFace::regular, 22.0F);
  fonts.display = addDisplay(FontFace::regular, 40.0F);
  fonts.displayBold = addDisplay(FontFace::semibold, 36.0F);
  fonts.mono = add(FontFace::mono, 13.0F);
  fonts.monoSmall = add(FontFace::mono, 11.5F);
  fonts.found = more.from;
  return fonts;
}

Fonts fontsForARoom(const Fonts& fonts) {
  Fonts large = fonts;
  for (ImFont** font : {&large.regular, &large.small, &large.tiny, &large.semibold, &large.mono,
                        &large.monoSmall}) {
    *font = fonts.title;
  }
  return large;
}

Fonts loadFonts(ImFontAtlas& atlas, float scale, const MoreLetters& more) {
  return fillAtlas(atlas, scale, fontFile, more);
}

}  // namespace headscope::ui
