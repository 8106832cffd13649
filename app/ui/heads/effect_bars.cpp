#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/head_switch.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/heads/token_axis.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

class Bars {
 public:
  Bars(const Panel& panel, const EffectPicture& picture)
      : panel_(panel),
        look_(panel.look),
        picture_(picture),
        ticks_(roundTicks(0.0, picture.largest)) {}

  Index draw() {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float gutter = tickWidth() + look_.px(8);
    const auto count = static_cast<float>(picture_.effects.heads());
    const float gap = look_.px(14);
    const float available = room.x - gutter;
    const float least = look_.px(96);
    const float most =
        std::max(look_.px(230), look_.px(18) * static_cast<float>(picture_.effects.tokens()));
    width_ = std::clamp((available + gap) / count - gap, least, std::max(most, least));
    const bool scrolls = (width_ + gap) * count - gap > available + 1.0F;
    const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize + look_.px(2) : 0.0F;
    placeRows(at.y, room.y - bar);
    drawTicks(at.x + gutter);

    ImGui::SetCursorScreenPos({at.x + gutter, at.y});
    beginPart("bars", {available, room.y},
              scrolls ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollbar);
    list_ = ImGui::GetWindowDrawList();
    // the bar to scroll by comes one frame after what is too wide
    if (scrolls && ImGui::GetScrollMaxX() == 0.0F) *look_.wantsFrame = true;
    for (const double tick : ticks_) {
      list_->AddLine({at.x + gutter, yOf(tick)}, {at.x + room.x, yOf(tick)},
                     tick == 0.0 ? look_.theme.textMuted : look_.theme.divider);
    }
    if (scrolls && ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0.0F) {
      ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * (width_ + gap));
    }
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const float clip0 = ImGui::GetWindowPos().x;
    const float clip1 = clip0 + ImGui::GetWindowSize().x;
    for (Index head = 0; head < picture_.effects.heads(); ++head) {
      const float x = origin.x + static_cast<float>(head) * (width_ + gap);
      if (x < clip1 && x + width_ > clip0) drawHead(head, x);
    }
    ImGui::SetCursorScreenPos(origin);
    ImGui::Dummy({(width_ + gap) * count - gap, room.y - bar - look_.px(1)});
    ImGui::EndChild();
    return tokenBars().tokensPerBar();
  }

 private:
  static std::string tickText(double percent) { return fmt::format("{:g} %", percent); }

  TokenBars tokenBars() const {
    return {picture_.effects.tokens(), static_cast<Index>(width_ / look_.px(3))};
  }

  float tickWidth() const {
    float widest = 0.0F;
    for (const double tick : ticks_) {
      widest = std::max(widest, textSize(look_.fonts.tiny, tickText(tick)).x);
    }
    return widest;
  }

  void placeRows(float y, float height) {
    title_ = y;
    top_ = y + fontSize(look_.fonts.small) + look_.px(6);
    labels_ = TokenAxis(panel_, width_, height).room();
    height_ = height;
    bottom_ = std::max(y + height - labels_, top_ + look_.px(16));
  }

  float yOf(double percent) const {
    const auto f = static_cast<float>(std::clamp(percent / ticks_.back(), 0.0, 1.0));
    return bottom_ - (bottom_ - top_) * f;
  }

  void drawTicks(float x) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float half = fontSize(look_.fonts.tiny) * 0.5F;
    float free = bottom_ + 3 * half;
    for (const double tick : ticks_) {
      const float y = yOf(tick);
      if (y + half > free) continue;
      free = y - half;
      const std::string text = tickText(tick);
      const ImVec2 size = textSize(look_.fonts.tiny, text);
      drawText(list, look_.fonts.tiny, {x - look_.px(6) - size.x, y - half}, look_.theme.textMuted,
               text);
    }
  }

  void drawTitle(Index head, float x) {
    const Theme& t = look_.theme;
    const ImVec2 toggle = headSwitchSize(look_);
    const bool off = isOff(panel_.trace.config(), head);
    ImFont* font = look_.fonts.small;
    const float room = width_ - toggle.x - look_.px(6);
    std::string text =
        off ? fmt::format("head {} is off", head + 1) : fmt::format("without head {}", head + 1);
    if (textSize(font, text).x > room) {
      text = off ? fmt::format("{}: off", head + 1) : fmt::format("head {}", head + 1);
    }
    drawText(list_, font, {x, title_}, off ? t.textMuted : color(head), text);
    ImGui::SetCursorScreenPos(
        {x + width_ - toggle.x, title_ + (fontSize(font) - toggle.y) * 0.5F + look_.px(1)});
    headSwitch(panel_, head);
  }

  ImU32 color(Index head) const { return headColor(look_.theme, static_cast<std::size_t>(head)); }

  void drawHead(Index head, float x) {
    const Theme& t = look_.theme;
    const bool chosen = head == panel_.view.head;
    if (chosen) {
      const float out = look_.px(5);
      list_->AddRectFilled({x - out, top_ - look_.px(3)}, {x + width_ + out, bottom_},
                           withAlpha(t.accent, 0.09F), look_.px(4));
    }
    drawTitle(head, x);
    const TokenBars bars = tokenBars();
    const float pitch = width_ / static_cast<float>(bars.count());
    const bool apart = pitch >= look_.px(4);
    const float thick = apart ? std::min(pitch * 0.8F, look_.px(22)) : pitch;
    const float rounding = thick > look_.px(6) ? look_.px(2) : 0.0F;
    for (Index bar = 0; bar < bars.count(); ++bar) {
      const auto percent = percentWithout(picture_.effects, head, bars.begin(bar), bars.end(bar),
                                          panel_.view.heads.pooling);
      if (!percent || *percent == 0.0) continue;
      const float middle = x + (static_cast<float>(bar) + 0.5F) * pitch;
      // side by side: no seams between them
      const float left = apart ? middle - thick * 0.5F : std::round(middle - pitch * 0.5F);
      const float right = apart ? middle + thick * 0.5F : std::round(middle + pitch * 0.5F);
      list_->AddRectFilled({left, yOf(*percent)}, {right, bottom_},
                           withAlpha(color(head), chosen ? 1.0F : 0.8F), rounding,
                           ImDrawFlags_RoundCornersTop);
    }
    TokenAxis(panel_, width_, height_).draw(list_, {x, bottom_});
    pick(head, x, bars);
  }

  void pick(Index head, float x, const TokenBars& bars) {
    ImGui::SetCursorScreenPos({x, top_});
    ImGui::PushID(static_cast<int>(head));
    const bool clicked = pictureArea("chart", {width_, bottom_ - top_ + labels_});
    ImGui::PopID();
    if (!ImGui::IsItemHovered()) return;
    const float along = (ImGui::GetIO().MousePos.x - x) / width_;
    const Index bar = std::clamp<Index>(
        static_cast<Index>(along * static_cast<float>(bars.count())), 0, bars.count() - 1);
    ImGui::SetTooltip(
        "%s",
        effectInWords(panel_, picture_.effects, head, bars.begin(bar), bars.end(bar)).c_str());
    if (!clicked) return;
    panel_.view.head = head;
    chooseToken(panel_, bars.begin(bar));
  }

  const Panel& panel_;
  const Look& look_;
  const EffectPicture& picture_;
  std::vector<double> ticks_;
  ImDrawList* list_ = nullptr;
  float width_ = 0, title_ = 0, top_ = 0, bottom_ = 0, labels_ = 0, height_ = 0;
};

}  // namespace

Index effectBars(const Panel& panel, const EffectPicture& picture) {
  return Bars(panel, picture).draw();
}

}  // namespace headscope::ui
