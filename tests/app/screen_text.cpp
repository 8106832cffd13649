#include "screen_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "app/ui/compat.h"

namespace headscope::ui {
namespace {

/// The texture coordinates of a corner, bit for bit.
using Corner = std::uint64_t;
Corner corner(float u, float v) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(u)} << 32U | std::bit_cast<std::uint32_t>(v);
}

struct Letter {
  ImWchar code = 0;
  Corner end = 0;  // texture coordinates of its lower right
  const ImFont* font = nullptr;
  float height = 0.0F;
};

/// Every letter of every font by the texture coordinates of its upper left.
std::unordered_map<Corner, Letter> lettersInAtlas() {
  std::unordered_map<Corner, Letter> letters;
  const auto add = [&](const ImFont* font, const ImFontGlyph& g) {
    if (!g.Visible) return;
    letters[corner(g.U0, g.V0)] = {static_cast<ImWchar>(g.Codepoint), corner(g.U1, g.V1), font,
                                   g.Y1 - g.Y0};
  };
#if IMGUI_VERSION_NUM >= 19200
  for (ImFont* font : ImGui::GetIO().Fonts->Fonts) {
    for (const ImFontGlyph& g : font->GetFontBaked(font->LegacySize)->Glyphs) add(font, g);
  }
#else
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts) {
    for (const ImFontGlyph& g : font->Glyphs) add(font, g);
  }
#endif
  return letters;
}

std::string utf8(ImWchar code) {
  const auto c = static_cast<unsigned>(code);
  const auto tail = [](unsigned bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (c < 0x80U) return {static_cast<char>(c)};
  if (c < 0x800U) return {static_cast<char>(0xC0U | (c >> 6U)), tail(c)};
  return {static_cast<char>(0xE0U | (c >> 12U)), tail(c >> 6U), tail(c)};
}

std::string withoutSpaces(std::string_view text) {
  std::string kept(text);
  std::erase_if(kept, [](char c) { return c == ' ' || c == '\n'; });
  return kept;
}

class Reader {
 public:
  /// The letters that were cut, those of one text together.
  std::vector<TextRun> takeCut() { return std::move(cut_); }
  std::vector<TextRun> read() {
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; data != nullptr && i < data->CmdListsCount; ++i) readList(*data->CmdLists[i]);
    return std::move(runs_);
  }
  std::vector<TextRun> read(const ImDrawList& list) {
    readList(list);
    return std::move(runs_);
  }

 private:
  void readList(const ImDrawList& list) {
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      ends_ = true;
      const unsigned last = command.IdxOffset + command.ElemCount;
      for (unsigned i = command.IdxOffset; i + 3 <= last;) {
        const ImDrawIdx* index = &list.IdxBuffer[static_cast<int>(i)];
        const ImDrawVert* vertex = &list.VtxBuffer[static_cast<int>(command.VtxOffset)];
        const bool quad = i + 6 <= last && index[3] == index[0] && index[4] == index[2];
        const bool letter = quad && readLetter(list, command, vertex + index[0]);
        if (!letter) ends_ = true;
        i += letter ? 6 : 3;
      }
    }
  }

  /// A letter is four corners in a row: upper left, upper right, lower right, lower left.
  bool readLetter(const ImDrawList& list, const ImDrawCmd& command, const ImDrawVert* at) {
    const auto found = letters_.find(corner(at[0].uv.x, at[0].uv.y));
    if (found == letters_.end()) return false;
    if (found->second.end != corner(at[2].uv.x, at[2].uv.y)) return false;
    Spot spot{at[0].pos, at[0].pos, at[0].col};
    for (int i = 1; i < 4; ++i) {
      spot.min = {std::min(spot.min.x, at[i].pos.x), std::min(spot.min.y, at[i].pos.y)};
      spot.max = {std::max(spot.max.x, at[i].pos.x), std::max(spot.max.y, at[i].pos.y)};
    }
    spot.font = found->second.font;
    const ImVec2 down(at[3].pos.x - at[0].pos.x, at[3].pos.y - at[0].pos.y);
    spot.stretch = std::hypot(down.x, down.y) / found->second.height;
    spot.turned = std::atan2(-down.x, down.y) * 57.29578F;
    const ImVec2 c = spot.centre();
    const ImVec4& clip = command.ClipRect;
    constexpr float kSeam = 1.5F;  // points; what a letter may lose to rounding
    if (spot.min.x < clip.x - kSeam || spot.max.x > clip.z + kSeam || spot.min.y < clip.y - kSeam ||
        spot.max.y > clip.w + kSeam) {
      const bool another = cut_.empty() || far(cut_.back().glyphs.back(), spot);
      if (another) cut_.push_back({list._OwnerName != nullptr ? list._OwnerName : "", {}, {}, {}});
      cut_.back().text += utf8(found->second.code);
      cut_.back().glyphs.push_back(spot);
    }
    if (c.x < clip.x || c.x > clip.z || c.y < clip.y || c.y > clip.w) return true;  // not seen
    if (ends_ || far(runs_.back().glyphs.back(), spot)) {
      runs_.push_back({list._OwnerName != nullptr ? list._OwnerName : "", {}, {}, {}});
      ends_ = false;
    }
    TextRun& run = runs_.back();
    const std::string bytes = utf8(found->second.code);
    run.text += bytes;
    run.glyphAt.insert(run.glyphAt.end(), bytes.size(), run.glyphs.size());
    run.glyphs.push_back(spot);
    return true;
  }

  /// Returns whether two glyphs are further apart than the width of a space.
  bool far(const Spot& before, const Spot& now) const {
    const float apart = std::max({now.min.x - before.max.x, before.min.x - now.max.x,
                                  now.min.y - before.max.y, before.min.y - now.max.y});
    return apart > space_;
  }

  std::unordered_map<Corner, Letter> letters_ = lettersInAtlas();
  std::vector<TextRun> runs_;
  std::vector<TextRun> cut_;
  float space_ = fontSize(ImGui::GetIO().FontDefault) * 0.55F;
  bool ends_ = true;
};

bool inWindow(const TextRun& run, std::string_view window) {
  return run.window.find(window) != std::string::npos;
}

}  // namespace

Spot TextRun::spot(std::size_t from, std::size_t bytes) const {
  Spot all = glyphs[glyphAt[from]];
  for (std::size_t i = glyphAt[from]; i <= glyphAt[from + bytes - 1]; ++i) {
    const Spot& g = glyphs[i];
    all.min = {std::min(all.min.x, g.min.x), std::min(all.min.y, g.min.y)};
    all.max = {std::max(all.max.x, g.max.x), std::max(all.max.y, g.max.y)};
  }
  return all;
}

ScreenText ScreenText::read() {
  ScreenText screen;
  Reader reader;
  screen.runs_ = reader.read();
  screen.cut_ = reader.takeCut();
  return screen;
}

ScreenText ScreenText::read(const ImDrawList& list) {
  ScreenText screen;
  screen.runs_ = Reader().read(list);
  return screen;
}

std::string ScreenText::all(std::string_view window) const {
  std::string text;
  for (const TextRun& run : runs_) {
    if (inWindow(run, window)) text += run.text;
  }
  return text;
}

bool ScreenText::shows(std::string_view text, std::string_view window) const {
  return all(window).find(withoutSpaces(text)) != std::string::npos;
}

std::optional<Spot> ScreenText::find(std::string_view text, std::string_view window) const {
  const std::string wanted = withoutSpaces(text);
  std::optional<Spot> within;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (!inWindow(*run, window)) continue;
    if (run->text == wanted) return run->spot(0, wanted.size());
    const auto at = run->text.rfind(wanted);
    if (at != std::string::npos && !within) within = run->spot(at, wanted.size());
  }
  return within;
}

std::optional<Spot> ScreenText::findAfter(std::string_view text, std::string_view window) const {
  const std::string wanted = withoutSpaces(text);
  for (std::size_t i = 0; i + 1 < runs_.size(); ++i) {
    if (!inWindow(runs_[i], window) || runs_[i].text != wanted) continue;
    return runs_[i + 1].spot(0, runs_[i + 1].text.size());
  }
  return std::nullopt;
}

}  // namespace headscope::ui
