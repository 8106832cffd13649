#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/head_switch.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/heads/token_axis.h"
#include "app/ui/matrix_view.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::uint64_t kKey = 0x656666656374ULL;

/// Of `count` equal parts of a length, the one at a fraction of it.
Index partAt(float fraction, Index count) {
  return std::clamp<Index>(static_cast<Index>(fraction * static_cast<float>(count)), 0, count - 1);
}

/// Heads × tokens in %; where several fall together, their mean or the largest.
gl::HeatmapSource source(const EffectPicture& picture, Pooling pooling, ImVec2 pixels) {
  const HeadEffects& effects = picture.effects;
  const TokenBars heads(effects.heads(), static_cast<Index>(pixels.y));
  const TokenBars tokens(effects.tokens(), static_cast<Index>(pixels.x));
  gl::HeatmapSource source;
  source.key = kKey + (pooling == Pooling::maximum ? 1 : 0);
  source.revision = picture.version;
  source.rows = static_cast<int>(heads.count());
  source.cols = static_cast<int>(tokens.count());
  source.fill = [&effects, heads, tokens, pooling](float* out) {
    for (Index row = 0; row < heads.count(); ++row) {
      for (Index col = 0; col < tokens.count(); ++col) {
        double sum = 0.0;
        double most = 0.0;
        double count = 0.0;
        for (Index h = heads.begin(row); h < heads.end(row); ++h) {
          const auto percent =
              percentWithout(effects, h, tokens.begin(col), tokens.end(col), pooling);
          if (!percent) continue;
          sum += *percent;
          most = std::max(most, *percent);
          count += 1.0;
        }
        const double shown = pooling == Pooling::maximum ? most : sum / count;
        *out++ = count == 0.0 ? gl::kMaskedCell : static_cast<float>(shown);
      }
    }
  };
  return source;
}

class Heatmap {
 public:
  Heatmap(const Panel& panel, const EffectPicture& picture)
      : panel_(panel), look_(panel.look), picture_(picture) {
    scale_.diverging = false;
    scale_.map = ColorMaps::sequential(panel.view.colorMaps, look_.theme.kind);
    scale_.low = 0.0F;
    scale_.high = static_cast<float>(roundTicks(0.0, picture.largest).back());
  }

  Index draw() {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto rows = static_cast<float>(picture_.effects.heads());
    const auto cols = static_cast<float>(picture_.effects.tokens());
    constexpr const char* kAxes = "head ↑  token →";
    const float left = textSize(look_.fonts.tiny, kAxes).x + look_.px(8);
    const float width = room.x - left - colorBarWidth(look_) - look_.px(10);
    const float shown = std::min(width, cols * look_.px(110));
    const TokenAxis tokens(panel_, shown, room.y);
    a_ = {at.x + left, at.y + look_.px(6)};
    b_ = {a_.x + shown, a_.y + std::min(room.y - look_.px(6) - tokens.room(), rows * look_.px(26))};
    drawText(list, look_.fonts.tiny, {at.x, b_.y + look_.px(3)}, look_.theme.textMuted, kAxes);
    drawText(list, look_.fonts.tiny, {b_.x + look_.px(15), b_.y + look_.px(3)},
             look_.theme.textMuted, "%");

    gl::HeatmapBatch batch;
    const float pixels = look_.scene.pixelsPerPoint;
    addSource(batch, look_,
              source(picture_, panel_.view.heads.pooling,
                     {(b_.x - a_.x) * pixels, (b_.y - a_.y) * pixels}),
              scale_, a_, b_);
    addHeatmaps(list, look_.scene, std::move(batch));
    list->AddRect(a_, b_, look_.theme.panelBorder);
    drawNumbers(list);
    drawHeadNumbers(list, at.x + left - look_.px(6));
    tokens.draw(list, {a_.x, b_.y});
    colorBar(look_, scale_, {b_.x + look_.px(14), a_.y}, std::max(b_.y - a_.y, look_.px(20)));
    pick();
    return TokenBars(picture_.effects.tokens(), static_cast<Index>((b_.x - a_.x) * pixels))
        .tokensPerBar();
  }

 private:
  float rowHeight() const { return (b_.y - a_.y) / static_cast<float>(picture_.effects.heads()); }

  /// In cells that are large enough.
  void drawNumbers(ImDrawList* list) {
    const HeadEffects& effects = picture_.effects;
    const float width = (b_.x - a_.x) / static_cast<float>(effects.tokens());
    const bool low = rowHeight() < fontSize(look_.fonts.monoSmall) + look_.px(1);
    ImFont* font = low ? look_.fonts.tiny : look_.fonts.monoSmall;
    if (width < look_.px(36) || rowHeight() < fontSize(font)) return;
    for (Index h = 0; h < effects.heads(); ++h) {
      for (Index i = 0; i < effects.tokens(); ++i) {
        const auto percent = percentWithout(effects, h, i, i + 1, Pooling::mean);
        if (!percent) continue;
        const ImU32 behind = scale_.color(look_.maps, static_cast<float>(*percent));
        drawTextCentred(list, font,
                        {a_.x + (static_cast<float>(i) + 0.5F) * width,
                         a_.y + (static_cast<float>(h) + 0.5F) * rowHeight()},
                        legibleOn(behind), cellNumber(*percent, *percent < 100.0 ? 1 : 0));
      }
    }
  }

  void drawHeadNumbers(ImDrawList* list, float right) {
    ImFont* font = rowHeight() < fontSize(look_.fonts.small) ? look_.fonts.tiny : look_.fonts.small;
    const Index chosen = panel_.view.head;
    const auto every = static_cast<Index>(std::ceil(fontSize(font) / rowHeight()));
    for (Index h = 0; h < picture_.effects.heads(); ++h) {
      const bool lit = h == chosen;
      const bool hidden = h % std::max<Index>(every, 1) != 0 || std::abs(h - chosen) < every;
      if (hidden && !lit) continue;
      const bool off = isOff(panel_.trace.config(), h);
      const std::string text = off ? fmt::format("{} off", h + 1) : std::to_string(h + 1);
      const ImVec2 size = textSize(font, text);
      const float y = a_.y + (static_cast<float>(h) + 0.5F) * rowHeight();
      drawText(list, font, {right - size.x, y - size.y * 0.5F},
               headColor(look_.theme, static_cast<std::size_t>(h)), text);
    }
    const float y = a_.y + static_cast<float>(chosen) * rowHeight();
    list->AddRect({a_.x - 1, y - 1}, {b_.x + 1, y + rowHeight() + 1}, look_.theme.text, 0, 0,
                  look_.px(1.5F));
  }

  void pick() {
    ImGui::SetCursorScreenPos(a_);
    const bool clicked = pictureArea("effects", {b_.x - a_.x, b_.y - a_.y});
    if (!ImGui::IsItemHovered()) return;
    const HeadEffects& effects = picture_.effects;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Index head = partAt((mouse.y - a_.y) / (b_.y - a_.y), effects.heads());
    const TokenBars tokens(effects.tokens(), static_cast<Index>(b_.x - a_.x));
    const Index col = partAt((mouse.x - a_.x) / (b_.x - a_.x), tokens.count());
    ImGui::SetTooltip(
        "%s", effectInWords(panel_, effects, head, tokens.begin(col), tokens.end(col)).c_str());
    if (!clicked) return;
    panel_.view.head = head;
    chooseToken(panel_, tokens.begin(col));
  }

  const Panel& panel_;
  const Look& look_;
  const EffectPicture& picture_;
  ColorScale scale_;
  ImVec2 a_, b_;
};

}  // namespace

Index effectHeatmap(const Panel& panel, const EffectPicture& picture) {
  return Heatmap(panel, picture).draw();
}

}  // namespace headscope::ui
