#include "app/ui/sentence_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kStripMargin = 5.0F;  // points above and below the text, at scale 1
constexpr float kMostOfRoom = 0.4F;
constexpr std::size_t kLinesAtLargest = 2;

/// The strip's text and choices in one size of letters.
class StripText {
 public:
  StripText(const FrameContext& look, const SentenceStrip& strip, ImFont* font, float width)
      : look_(look), strip_(strip), font_(font), width_(width) {
    height_ = lay(nullptr, {0.0F, 0.0F});
  }

  float height() const { return height_; }
  void draw(ImDrawList* list, ImVec2 at) const { lay(list, at); }

 private:
  ImFont* choiceFont() const {
    return font_ == look_.fonts.title ? look_.fonts.semibold : look_.fonts.regular;
  }

  /// Draws the text, or only measures it without a list. Returns its height.
  float lay(ImDrawList* list, ImVec2 at) const {
    float y =
        drawRichParagraph(list, look_.fonts, font_, at, look_.theme.text, strip_.text, width_).y;
    float x = 0.0F;
    ImFont* font = choiceFont();
    const float line = fontSize(font) + look_.space.thin;
    const float gap = look_.px(26);
    for (std::size_t i = 0; i < strip_.choices.size(); ++i) {
      const std::string text = fmt::format("{}  {}", static_cast<char>('A' + i), strip_.choices[i]);
      const float wide = richTextSize(look_.fonts, font, text).x;
      if (x > 0.0F && x + wide > width_) {
        x = 0.0F;
        y += line;
      }
      if (list != nullptr) {
        drawRichText(list, look_.fonts, font, {at.x + x, at.y + y}, colorOf(i), text);
      }
      x += wide + gap;
    }
    return strip_.choices.empty() ? y : y + line;
  }

  ImU32 colorOf(std::size_t choice) const {
    const Theme& t = look_.theme;
    if (!strip_.right) return t.accentText;
    return choice == *strip_.right ? t.good : t.textMuted;
  }

  const FrameContext& look_;
  const SentenceStrip& strip_;
  ImFont* font_;
  float width_;
  float height_ = 0.0F;
};

/// The text in the largest letters that keep it within `most`, or in the smallest.
StripText fittingText(const FrameContext& look, const SentenceStrip& strip, float width,
                      float most) {
  const Fonts& fonts = look.fonts;
  for (ImFont* font : {fonts.title, fonts.semibold, fonts.regular}) {
    const StripText text(look, strip, font, width);
    if (text.height() <= most) return text;
  }
  return {look, strip, fonts.small, width};
}

float margins(const FrameContext& look) { return 2.0F * look.px(kStripMargin); }
float textWidth(const FrameContext& look, float width) { return width - 2.0F * look.space.large; }

}  // namespace

float sentenceStripHeight(const FrameContext& look, const SentenceStrip& strip, float width,
                          float room) {
  // a question to the audience gets lines of its own
  const std::size_t lines = kLinesAtLargest + (strip.choices.empty() ? 0 : 1);
  const float least = fontSize(look.fonts.title) * static_cast<float>(lines);
  const float most = std::max(least, room * kMostOfRoom - margins(look));
  const StripText text = fittingText(look, strip, textWidth(look, width), least);
  return std::clamp(text.height(), std::min(least, most), most) + margins(look);
}

void drawSentenceStrip(const FrameContext& look, const SentenceStrip& strip, const Rect& at) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at.a, at.b, look.theme.accentSoft, look.space.small);
  const Rect room = at.inset({look.space.large, look.px(kStripMargin)});
  const StripText text = fittingText(look, strip, room.width(), room.height());
  list->PushClipRect(at.a, at.b, true);
  text.draw(list, {room.a.x, std::max(room.a.y, at.centre().y - text.height() * 0.5F)});
  list->PopClipRect();
}

}  // namespace headscope::ui
