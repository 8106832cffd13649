// The card of the journey's line (see stage_page.h): nine places, a button that plays, and one that
// shows the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/frame_state.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/score_reasons.h"
#include "app/ui/stage/journey.h"
#include "app/ui/stage/sentence_drawing.h"
#include "app/ui/stage/stage_page.h"
#include "app/ui/stage/stage_view.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr float kNarrowestName = 46.0F;  // a narrower part of the line has no name

/// Draws a large round button. Returns true if it was clicked.
bool bigButton(const FrameContext& look, const Rect& at, const char* text, bool filled) {
  const Theme& t = look.theme;
  ImGui::SetCursorScreenPos(at.a);
  const bool clicked = ImGui::InvisibleButton(text, at.size());
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float round = at.height() * 0.5F;
  if (filled) {
    list->AddRectFilled(at.a, at.b, hovered ? withAlpha(t.accent, 0.86F) : t.accent, round);
  } else {
    list->AddRectFilled(at.a, at.b, hovered ? t.fieldHover : t.panel, round);
    list->AddRect(at.a, at.b, t.fieldActive, round, 0, look.px(1.2F));
  }
  drawTextCentred(list, look.fonts.semibold, at.centre(), filled ? t.textOnAccent : t.text, text);
  return clicked;
}

class JourneyCard final : public Card {
 public:
  JourneyCard()
      : Card({.id = kJourneyCard,
              .title = tr("How it gets there"),
              .about = tr("The way of the word, in nine places"),
              .alone = false,
              .framed = false,
              .strip = kJourneyHeight}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    Rect room = Rect::rest();
    const bool narrow = room.width() < look.px(760);
    const float high = look.px(46);
    const Rect play = room.cutLeft(look.px(narrow ? 58 : 196), look.px(narrow ? 8 : 40));
    const Rect numbers = room.cutRight(look.px(narrow ? 84 : 176), look.px(narrow ? 8 : 40));
    const bool playing = panel.frame.stagePlaying;
    const bool underWay = panel.stageView.at.has_value();
    const char* text = narrow                   ? (playing ? tr("Pause") : "▶")
                       : playing                ? tr("Pause")
                       : atEnd(panel.stageView) ? tr("▶  Once more")
                       : underWay               ? "▶  Continue"
                                                : tr("▶  How it gets there");
    if (bigButton(look, play.placed({play.width(), high}, 0.5F, underWay ? 0.2F : 0.35F), text,
                  true)) {
      toggleJourney(panel.stageView, panel.frame);
    }
    const char* token = tokenNoun(panel.trace.document()).one;
    tip(look, trFormat("Follows the {} through all steps, in ninety seconds (space)", token));
    if (underWay && !panel.alone) {
      const char* const kBack = tr("Back to the heads");
      ImGui::SetCursorScreenPos({play.a.x, play.b.y - ImGui::GetFrameHeight()});
      if (pill(look, narrow ? tr("Heads") : kBack)) leaveJourney(panel.stageView, panel.frame);
      tip(look, tr("Ends the journey and shows all heads again (esc)"));
    }
    const bool shown = panel.stageView.numbers;
    const bool asksWhy = !underWay && !narrow && !panel.alone && !shown;
    if (bigButton(look,
                  numbers.placed({numbers.width(), high}, 0.5F, asksWhy || shown ? 0.16F : 0.35F),
                  narrow  ? tr("Numbers")
                  : shown ? tr("Hide the numbers")
                          : tr("Show the numbers"),
                  false)) {
      shown ? void(panel.stageView.numbers = false) : showNumbers(panel);
    }
    tip(look, shown ? tr("Folds the matrices again (esc)")
                    : trFormat("Unfolds the matrices at the same {}, head and step", token));
    ImGui::SetCursorScreenPos({numbers.a.x, numbers.b.y - ImGui::GetFrameHeight()});
    if (shown) {
      if (pill(look, narrow ? tr("Flow") : tr("Open in Flow"))) {
        panel.stageView.why ? showWhy(panel) : showInFlow(panel);
      }
      tip(look, trFormat("All tools at the same {}, head and step; escape comes back", token));
    }
    if (asksWhy) {
      bool& why = panel.stageView.why;
      if (pill(look, tr("Why does it look there?"), why)) {
        hasReasons(panel) ? void(why = !why) : showWhy(panel);
      }
      tip(look,
          trFormat("What of both {} makes the score", tokenNoun(panel.trace.document()).many));
    }
    line(panel, room);
  }

 private:
  void line(const PanelContext& panel, const Rect& room) const {
    const FrameContext& look = panel.look;
    const Theme& t = look.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const JourneyMoment moment = momentOf(panel.stageView);
    const auto here = static_cast<int>(moment.place);
    const float y = room.a.y + room.height() * 0.3F;
    const float pitch = room.width() / static_cast<float>(kStagePlaces);
    const auto x = [&](double place) {
      return room.a.x + pitch * (static_cast<float>(place) + 0.5F);
    };
    const float thick = look.px(3);
    list->AddLine({x(0), y}, {x(kStagePlaces - 1), y}, t.fieldActive, thick);
    const bool underWay = panel.stageView.at.has_value();
    const double reached =
        underWay && moment.passed < 0.99 ? std::max(0.0, here - 1.0 + moment.passed) : here;
    if (underWay) list->AddLine({x(0), y}, {x(reached), y}, t.accent, thick);
    const bool names = namesFit(panel, pitch);
    for (int i = 0; i < kStagePlaces; ++i) {
      const auto place = static_cast<StagePlace>(i);
      const ImVec2 at{x(i), y};
      const bool now = i == here;
      ImGui::SetCursorScreenPos({at.x - pitch * 0.5F, room.a.y});
      ImGui::PushID(i);
      if (ImGui::InvisibleButton("place", {pitch, room.height()}))
        goToPlace(panel.stageView, panel.frame, place);
      const bool hovered = ImGui::IsItemHovered();
      ImGui::PopID();
      const float radius = look.px(now ? 11.0F : hovered ? 8.5F : 7.0F);
      const bool filled = now || (underWay && i < here);
      list->AddCircleFilled(at, radius, filled ? t.accent : t.window);
      if (!filled) list->AddCircle(at, radius, t.accent, 0, look.px(1.8F));
      const std::string text = labelOf(place, panel.trace.document());
      if (!names) {  // the present place alone is named
        const float half = textSize(look.fonts.semibold, text).x * 0.5F;
        const float centre = std::clamp(at.x, room.a.x + half, std::max(room.b.x - half, at.x));
        if (now) label(look, list, {centre, y + look.px(24)}, room.width(), text, true, true);
        continue;
      }
      // a neighbour that does not fit is broken, and then no wider than its part of the line
      const float wider = std::min(pitch, std::max(widthOf(panel, i - 1), widthOf(panel, i + 1)));
      const bool fits = (widthOf(panel, i) + wider) * 0.5F + look.space.small <= pitch;
      label(look, list, {at.x, y + look.px(24)}, pitch, text, now, fits);
    }
  }

  /// Returns whether no word of a name has to be broken.
  static bool namesFit(const PanelContext& panel, float pitch) {
    if (pitch < panel.look.px(kNarrowestName)) return false;
    ImFont* font = panel.look.fonts.small;
    for (int i = 0; i < kStagePlaces; ++i) {
      const std::string text = labelOf(static_cast<StagePlace>(i), panel.trace.document());
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (textSize(font, text.substr(at, end - at)).x > pitch - panel.look.px(4)) return false;
        at = end + 1;
      }
    }
    return true;
  }

  /// The width of the name of place `i` on one line; 0 where there is no such place.
  static float widthOf(const PanelContext& panel, int i) {
    if (i < 0 || i >= kStagePlaces) return 0.0F;
    const std::string text = labelOf(static_cast<StagePlace>(i), panel.trace.document());
    return textSize(panel.look.fonts.semibold, text).x;
  }

  /// Draws the name of a place, in small letters and on two lines where it does not fit.
  static void label(const FrameContext& look, ImDrawList* list, ImVec2 top, float pitch,
                    const std::string& text, bool now, bool fits) {
    ImFont* font = now ? look.fonts.semibold : look.fonts.regular;
    const ImU32 color = now ? look.theme.accentText : look.theme.textMuted;
    if (fits) return drawTextCentred(list, font, top, color, text);
    const std::string broken = wrapped(look.fonts.small, text, pitch - look.px(4));
    std::size_t begin = 0;
    for (float y = top.y; begin < broken.size(); y += fontSize(look.fonts.small)) {
      const std::size_t end = std::min(broken.find('\n', begin), broken.size());
      drawTextCentred(list, look.fonts.small, {top.x, y}, color, broken.substr(begin, end - begin));
      begin = end + 1;
    }
  }
};

}  // namespace

std::unique_ptr<Card> makeJourneyCard() { return std::make_unique<JourneyCard>(); }

}  // namespace headscope::ui
