#include "app/ui/rich_text.h"

#include <algorithm>
#include <cfloat>

#include "app/ui/compat.h"
#include "app/ui/letters.h"

namespace headscope::ui {
namespace {

constexpr float kScriptRatio = 0.8F;  // largest size of a superscript, as a share of the base's
constexpr float kRise = 0.36F;        // share of the base size, from baseline to baseline
constexpr float kDrop = 0.16F;

/// The number of bytes of the first UTF-8 code point of `text`.
std::size_t codePointBytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) ++bytes;
  return bytes;
}

struct ScriptFont {
  ImFont* font;
  float size;
};

/// Returns the largest loaded font that is small enough for indices and exponents of text in
/// `base`; otherwise the smallest, shrunk.
ScriptFont scriptFont(const Fonts& fonts, const ImFont* base) {
  const float limit = fontSize(base) * kScriptRatio;
  for (ImFont* font : {fonts.regular, fonts.small, fonts.tiny}) {
    if (fontSize(font) <= limit) return {font, fontSize(font)};
  }
  return {fonts.tiny, std::min(limit, fontSize(fonts.tiny))};
}

float widthOf(const ImFont* font, float size, std::string_view text) {
  return font->CalcTextSizeA(size, FLT_MAX, 0.0F, text.data(), text.data() + text.size()).x;
}

/// Calls `place(run, font, size, x)` for every run. Returns the width of the line.
template <typename Place>
float layOut(const Fonts& fonts, ImFont* base, std::string_view text, const Place& place) {
  const ScriptFont script = scriptFont(fonts, base);
  float x = 0.0F, scriptStart = 0.0F;
  Script before = Script::base;
  for (const RichRun& run : parseRichText(text)) {
    const bool isBase = run.script == Script::base;
    const ScriptFont used = isBase ? ScriptFont{base, fontSize(base)} : script;
    const bool stacked = !isBase && before != Script::base && before != run.script;
    const float start = stacked ? scriptStart : x;
    std::string room;
    const RichRun drawn{asDrawn(used.font, run.text, room), run.script};
    place(drawn, used, start);
    x = std::max(x, start + widthOf(used.font, used.size, drawn.text));
    scriptStart = start;
    before = stacked ? Script::base : run.script;
  }
  return x;
}

/// The number of bytes that fit a line: up to a space or a line break, at least one word.
std::size_t fittingLine(const Fonts& fonts, ImFont* base, std::string_view text, float width) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::size_t fits = 0;
  while (fits < end) {
    std::size_t space = std::min(text.find(' ', fits + 1), end);
    while (text.substr(0, end).substr(space).starts_with(" %")) {  // a number keeps its unit
      space = std::min(text.find(' ', space + 1), end);
    }
    if (fits > 0 && richTextSize(fonts, base, text.substr(0, space)).x > width) break;
    fits = space;
  }
  return fits;
}

}  // namespace

std::vector<RichRun> parseRichText(std::string_view text) {
  std::vector<RichRun> runs;
  std::size_t plain = 0;  // start of the base run being read
  const auto endPlain = [&](std::size_t end) {
    if (end > plain) runs.push_back({text.substr(plain, end - plain), Script::base});
  };
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size() && std::string_view("\\^_").find(text[i + 1]) < 3) {
      endPlain(i);
      plain = i + 1;
      i += 2;
    } else if ((c == '^' || c == '_') && i + 1 < text.size()) {
      endPlain(i);
      const bool braced = text[i + 1] == '{';
      const std::size_t begin = i + (braced ? 2 : 1);
      const std::size_t end = braced ? std::min(text.find('}', begin), text.size())
                                     : begin + codePointBytes(text.substr(begin));
      if (end > begin) {
        runs.push_back(
            {text.substr(begin, end - begin), c == '^' ? Script::raised : Script::lowered});
      }
      i = plain = std::min(end + (braced ? 1 : 0), text.size());
    } else {
      ++i;
    }
  }
  endPlain(text.size());
  return runs;
}

ImVec2 richTextSize(const Fonts& fonts, ImFont* base, std::string_view text) {
  const auto ignore = [](const RichRun&, const ScriptFont&, float) {};
  return {layOut(fonts, base, text, ignore), fontSize(base)};
}

void drawRichText(ImDrawList* drawList, const Fonts& fonts, ImFont* base, ImVec2 pos, ImU32 color,
                  std::string_view text) {
  layOut(fonts, base, text, [&](const RichRun& run, const ScriptFont& used, float x) {
    float y = 0.0F;
    if (run.script != Script::base) {
      const float ascent = fontAscent(used.font) * used.size / fontSize(used.font);
      const float shift = run.script == Script::raised ? -kRise : kDrop;
      y = fontAscent(base) + shift * fontSize(base) - ascent;
    }
    drawList->AddText(used.font, used.size, {pos.x + x, pos.y + y}, color, run.text.data(),
                      run.text.data() + run.text.size());
  });
}

std::string asRichText(std::string_view plain) {
  std::string rich;
  for (const char c : plain) {
    if (std::string_view("\\^_").find(c) != std::string_view::npos) rich += '\\';
    rich += c;
  }
  return rich;
}

ImVec2 eachRichLine(const Fonts& fonts, ImFont* base, std::string_view text, float width, float gap,
                    const std::function<void(std::string_view line, float y)>& line) {
  ImVec2 taken(0.0F, 0.0F);
  while (!text.empty()) {
    const std::size_t end = fittingLine(fonts, base, text, width);
    const std::string_view shown = text.substr(0, end);
    line(shown, taken.y);
    taken.x = std::max(taken.x, richTextSize(fonts, base, shown).x);
    taken.y += fontSize(base) + gap;
    text.remove_prefix(std::min(end + 1, text.size()));  // including the space at the break
  }
  return taken;
}

ImVec2 drawRichParagraph(ImDrawList* drawList, const Fonts& fonts, ImFont* base, ImVec2 pos,
                         ImU32 color, std::string_view text, float width, float gap) {
  return eachRichLine(fonts, base, text, width, gap, [&](std::string_view line, float y) {
    if (drawList != nullptr) drawRichText(drawList, fonts, base, {pos.x, pos.y + y}, color, line);
  });
}

void richLabel(const Fonts& fonts, ImFont* base, ImU32 color, std::string_view text, float below) {
  drawRichText(ImGui::GetWindowDrawList(), fonts, base, ImGui::GetCursorScreenPos(), color, text);
  const ImVec2 size = richTextSize(fonts, base, text);
  ImGui::Dummy({size.x, size.y + below});
}

void richParagraph(const Fonts& fonts, ImFont* base, ImU32 color, std::string_view text,
                   float width, float gap) {
  const ImVec2 taken = drawRichParagraph(ImGui::GetWindowDrawList(), fonts, base,
                                         ImGui::GetCursorScreenPos(), color, text, width, gap);
  ImGui::Dummy(taken);
}

}  // namespace headscope::ui
