#include "printed.h"

#include <cstring>
#include <string_view>

#include "app/ui/compat.h"
#include "tests/app/screen_text.h"

namespace headscope::monkey {
namespace {

constexpr char kOtherLetter = 'x';
constexpr char kNoLetter = '0';

std::uint64_t place(float u, float v) {
  std::uint32_t bits[2];
  std::memcpy(&bits[0], &u, sizeof u);
  std::memcpy(&bits[1], &v, sizeof v);
  return (static_cast<std::uint64_t>(bits[0]) << 32U) | bits[1];
}

char kindOf(unsigned code) {
  if (code == 'n' || code == 'a' || code == 'i' || code == 'f') return static_cast<char>(code);
  const bool latin = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
  // PyTorch's float('-inf') and nan_to_num, and the "nan" of a file that is refused, are no numbers
  // of ours
  const bool ofCode = code == '\'' || code == '_' || code == '"';
  return latin || ofCode || code > 0xBF ? kOtherLetter : kNoLetter;
}

/// Returns whether `word` is in `text` with no letter next to it.
bool stands(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool before = at > 0 && text[at - 1] != kNoLetter;
    if (!before && (end >= text.size() || text[end] == kNoLetter)) return true;
  }
  return false;
}

/// Returns whether two letters belong to one word, given the corners of their pictures.
bool together(ImVec2 endOfOne, ImVec2 startOfNext, float size) {
  const float gap = startOfNext.x - endOfOne.x;
  const float down = startOfNext.y - endOfOne.y;
  return gap < size * 0.2F && gap > -size * 0.5F && down < size * 0.3F && down > -size * 1.5F;
}

/// The texts of a window that contain "nan" or "inf", for an error message.
std::string described(const std::string& window) {
  const ui::ScreenText screen = ui::ScreenText::read();
  std::string words = window + ":";
  for (const ui::TextRun& run : screen.runs()) {
    const bool here = run.window == window && (run.text.find("nan") != std::string::npos ||
                                               run.text.find("inf") != std::string::npos);
    if (here) words += " '" + run.text + "'";
  }
  return words;
}

}  // namespace

void Printed::learn() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.Fonts == atlas_ && ui::fontSize(io.FontDefault) == size_ && !letters_.empty()) return;
  atlas_ = io.Fonts;
  size_ = ui::fontSize(io.FontDefault);
  letters_.clear();
  const auto add = [this](const ImFontGlyph& g) {
    if (g.Visible) letters_[place(g.U0, g.V0)] = kindOf(g.Codepoint);
  };
  for (ImFont* font : io.Fonts->Fonts) {
#if IMGUI_VERSION_NUM >= 19200
    for (const ImFontGlyph& g : font->GetFontBaked(font->LegacySize)->Glyphs) add(g);
#else
    for (const ImFontGlyph& g : font->Glyphs) add(g);
#endif
  }
}

char Printed::letter(const ImDrawVert* corner) const {
  const auto found = letters_.find(place(corner->uv.x, corner->uv.y));
  return found != letters_.end() ? found->second : kNoLetter;
}

std::optional<std::string> Printed::notFinite() {
  learn();
  const ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; data != nullptr && i < data->CmdListsCount; ++i) {
    const ImDrawList& list = *data->CmdLists[i];
    const std::string_view window = list._OwnerName != nullptr ? list._OwnerName : "";
    if (window == "headscope") continue;  // the status bar: its refusals name what was refused
    std::string text;                     // letters in drawing order, clipped or not
    ImVec2 end;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      const unsigned last = command.IdxOffset + command.ElemCount;
      for (unsigned at = command.IdxOffset; at + 3 <= last;) {
        const ImDrawIdx* index = &list.IdxBuffer[static_cast<int>(at)];
        const bool quad = at + 6 <= last && index[3] == index[0] && index[4] == index[2];
        const ImDrawVert* corner = &list.VtxBuffer[static_cast<int>(command.VtxOffset + index[0])];
        if (!quad || !together(end, corner->pos, size_)) text += kNoLetter;
        if (quad) {
          text += letter(corner);
          end = list.VtxBuffer[static_cast<int>(command.VtxOffset + index[2])].pos;
        }
        at += quad ? 6 : 3;
      }
    }
    if (stands(text, "nan") || stands(text, "inf")) {
      return described(std::string(window));
    }
  }
  return std::nullopt;
}

}  // namespace headscope::monkey
