#include "app/ui/help.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/glossary.h"
#include "app/ui/rich_text.h"
#include "app/ui/shortcuts.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char* kId = "help";
constexpr int kPages = 2;
constexpr float kWordsWidth = 330.0F;  // a column's least, at scale 1
constexpr float kLeadKeys = 140.0F;    // room of what is explained, at the left of a column
constexpr float kLeadTerms = 118.0F;

struct Entry {
  std::string lead;  // rich text
  std::string about;
  bool heading = false;
};

std::vector<Entry> keyEntries() {
  std::vector<Entry> entries;
  for (const ShortcutGroup& group : shortcutGroups()) {
    entries.push_back({group.title, {}, true});
    for (const Shortcut& shortcut : group.shortcuts) {
      entries.push_back({shortcut.keys, shortcut.does});
    }
  }
  return entries;
}

std::vector<Entry> termEntries() {
  std::vector<Entry> entries;
  for (const auto& entry : glossary()) entries.push_back({entry.shown, entry.about});
  return entries;
}

/// Entries in columns, filled one after the other.
class Columns {
 public:
  Columns(const Look& look, float lead, float width)
      : look_(look),
        lead_(look.px(lead)),
        count_(std::max(1, static_cast<int>(width / look.px(kWordsWidth)))),
        column_((width - look.px(kGap) * static_cast<float>(count_ - 1)) /
                static_cast<float>(count_)) {}

  void draw(const std::vector<Entry>& entries) {
    float all = 0.0F;
    for (const Entry& entry : entries) all += height(entry);
    // a column ends with the entry that passes its share
    const float share = all / static_cast<float>(count_);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    float y = 0.0F;
    float lowest = 0.0F;
    int column = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Entry& entry = entries[i];
      // a heading goes with what follows it
      const float needed =
          height(entry) + (entry.heading && i + 1 < entries.size() ? height(entries[i + 1]) : 0);
      if (column + 1 < count_ && y > 0.0F && y + needed * 0.5F > share) {
        ++column;
        y = 0.0F;
      }
      const float x = static_cast<float>(column) * (column_ + look_.px(kGap));
      drawEntry(entry, {origin.x + x, origin.y + y}, y == 0.0F);
      y += height(entry);
      lowest = std::max(lowest, y);
    }
    ImGui::Dummy({column_, lowest});
  }

 private:
  static constexpr float kGap = 28.0F;

  float textWidth() const { return column_ - lead_; }
  float height(const Entry& entry) const {
    if (entry.heading) return fontSize(look_.fonts.semibold) + look_.px(18);
    const float words = look_.fonts.regular
                            ->CalcTextSizeA(fontSize(look_.fonts.regular), FLT_MAX, textWidth(),
                                            entry.about.c_str())
                            .y;
    return words + look_.px(7);
  }

  void drawEntry(const Entry& entry, ImVec2 at, bool first) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Fonts& fonts = look_.fonts;
    if (entry.heading) {
      drawText(list, fonts.semibold, {at.x, at.y + look_.px(first ? 2.0F : 11.0F)},
               look_.theme.text, entry.lead);
      return;
    }
    drawRichText(list, fonts, fonts.regular, {std::round(at.x), std::round(at.y)},
                 look_.theme.accentText, entry.lead);
    list->AddText(fonts.regular, fontSize(fonts.regular),
                  {std::round(at.x + lead_), std::round(at.y)}, look_.theme.text,
                  entry.about.c_str(), nullptr, textWidth());
  }

  const Look& look_;
  float lead_;
  int count_;
  float column_;
};

void scrollByKeys(const Look& look) {
  const float page = ImGui::GetWindowHeight() * 0.9F;
  const std::pair<Key, float> moves[] = {{Key::up, -look.px(40)},
                                         {Key::down, look.px(40)},
                                         {Key::pageUp, -page},
                                         {Key::pageDown, page},
                                         {Key::home, -ImGui::GetScrollMaxY()},
                                         {Key::end, ImGui::GetScrollMaxY()}};
  for (const auto& [key, by] : moves) {
    if (keyPressed(key)) {
      ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.0F, ImGui::GetScrollMaxY()));
    }
  }
}

void pages(const Look& look, HelpMemory& memory) {
  const std::vector<Tab> tabs{{"Keys and mouse", "what each key does"},
                              {"Terms", "what the words on the screen mean"}};
  const int clicked =
      tabRow(look, "help pages", tabs, memory.page, "← → the other page · ↑ ↓ scroll · esc closes");
  if (clicked >= 0) memory.page = clicked;
  if (keyPressed(Key::left, false) || keyPressed(Key::right, false) ||
      keyPressed(Key::tab, false)) {
    memory.page = (memory.page + 1) % kPages;
  }
  ImGui::PushID(memory.page);
  ImGui::BeginChild("entries", {0, 0}, false, ImGuiWindowFlags_NoBackground);
  const float width = ImGui::GetContentRegionAvail().x - look.px(4);
  if (memory.page == 0) {
    Columns(look, kLeadKeys, width).draw(keyEntries());
  } else {
    Columns(look, kLeadTerms, width).draw(termEntries());
  }
  scrollByKeys(look);
  ImGui::EndChild();
  ImGui::PopID();
}

}  // namespace

void openHelp(HelpMemory& memory) { memory = {true, true, 0}; }

void helpOverlay(const Look& look, HelpMemory& memory) {
  if (!memory.open) return;
  if (memory.appearing) ImGui::OpenPopup(kId);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::min(look.px(1120), display.x - look.px(24)),
                    std::min(look.px(640), display.y - look.px(24)));
  ImGui::SetNextWindowPos({(display.x - size.x) * 0.5F, (display.y - size.y) * 0.5F});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(22), look.px(16)));
  const bool visible = ImGui::BeginPopupModal(
      kId, nullptr,
      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  if (!visible) {
    memory.open = false;
    return;
  }
  pages(look, memory);
  const bool appearing = std::exchange(memory.appearing, false);
  const bool beside =
      ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows);
  const bool asked = charTyped('?') || keyPressed(Key::f1, false) || beside;
  if (keyPressed(Key::escape, false) || (asked && !appearing)) {
    memory.open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace headscope::ui
