#include "app/ui/speaker_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/compat.h"
#include "app/ui/rich_text.h"
#include "app/ui/timeline/timeline_view.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

constexpr float kSlideShare = 0.45F;  // of the height, for the picture of the next slide

}  // namespace

void drawSpeakerNotes(ImDrawList& list, const FrameContext& look, const SpeakerNotes& notes,
                      ImVec2 size) {
  const Fonts& fonts = look.fonts;
  const Theme& t = look.theme;
  list.AddRectFilled({0.0F, 0.0F}, size, t.panel);
  Rect room = Rect{{0.0F, 0.0F}, size}.inset(look.space.large);

  Rect top = room.cutTop(fontSize(fonts.semibold), look.space.medium);
  const std::string clock = notes.minutes > 0
                                ? trFormat("{} of {}:00", clockText(notes.seconds), notes.minutes)
                                : clockText(notes.seconds);
  const Rect time = top.cutRight(textSize(fonts.semibold, clock).x, look.space.large);
  if (!notes.heading.empty()) drawText(&list, fonts.semibold, time.a, t.accentText, clock);
  drawText(&list, fonts.small, top.a, t.textMuted, elided(fonts.small, notes.heading, top.width()));

  const Rect keys = room.cutBottom(fontSize(fonts.small), look.space.small);
  drawText(&list, fonts.small, keys.a, t.textMuted,
           elided(fonts.small, tr("page down, page up: forward, back · F10 closes this window"),
                  keys.width()));
  if (notes.nextSlide.size.x > 0.0F) {
    const float high = room.height() * kSlideShare;
    const float wide = high * notes.nextSlide.size.x / notes.nextSlide.size.y;
    Rect below = room.cutBottom(high, look.space.small);
    const Rect slide = below.cutRight(std::min(wide, below.width() * 0.6F), look.space.medium);
    const Rect picture = slide.placed({slide.width(), slide.width() * high / wide});
    list.AddImage(notes.nextSlide.texture, picture.a, picture.b);
    list.AddRect(picture.a, picture.b, t.panelBorder);
    const float title = drawRichParagraph(&list, fonts, fonts.semibold, below.a, t.textMuted,
                                          tr("Next: ") + asRichText(notes.next), below.width())
                            .y;
    below.cutTop(title, look.space.small);
    list.PushClipRect(below.a, below.b, true);
    drawRichParagraph(&list, fonts, fonts.small, below.a, t.text, notes.nextSentence,
                      below.width());
    list.PopClipRect();
  } else if (!notes.nextSentence.empty()) {  // its words
    const float width = room.width() - 2.0F * look.space.medium;
    const float height =
        drawRichParagraph(nullptr, fonts, fonts.regular, {}, t.text, notes.nextSentence, width).y;
    const Rect slide = room.cutBottom(height + 2.0F * look.space.small, look.space.small);
    list.AddRectFilled(slide.a, slide.b, t.accentSoft, look.space.small);
    drawRichParagraph(&list, fonts, fonts.regular,
                      {slide.a.x + look.space.medium, slide.a.y + look.space.small}, t.text,
                      notes.nextSentence, width);
  }
  if (!notes.next.empty() && notes.nextSlide.size.x == 0.0F) {
    const Rect next = room.cutBottom(fontSize(fonts.semibold), look.space.medium);
    drawText(&list, fonts.semibold, next.a, t.textMuted,
             elided(fonts.semibold, tr("Next: ") + notes.next, next.width()));
  }
  room.cutTop(drawRichParagraph(&list, fonts, fonts.title, room.a, t.text, asRichText(notes.title),
                                room.width())
                  .y,
              look.space.medium);
  ImFont* font = fonts.semibold;
  if (drawRichParagraph(nullptr, fonts, font, room.a, t.text, notes.say, room.width()).y >
      room.height()) {
    font = fonts.regular;
  }
  drawRichParagraph(&list, fonts, font, room.a, t.text, notes.say, room.width(), look.space.thin);
}

}  // namespace headscope::ui
