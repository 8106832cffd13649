// Presenter: shows one card of a page over the whole screen in large type for an audience, with a
// sentence below it and a pointer that is visible from the last row.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/ui/page.h"
#include "app/ui/selection.h"
#include "app/ui/sentence_strip.h"

namespace headscope::ui {

class Presenter {
 public:
  Presenter(const Pages& pages, const ViewState& view) : pages_(pages), view_(view) {}

  bool on() const { return on_; }
  /// The id of the presented card.
  std::string_view card() const { return card_; }

  /// Starts presenting the card whose controls have the keyboard (`withKeyboard`, if any), else the
  /// one under the mouse, else the last one clicked. Stops if it is presenting.
  void toggle(Selection& selection, std::string_view withKeyboard);
  /// Starts presenting the card that the view names, which is that of a scene.
  void begin(const Selection& selection) { on_ = selection.focus.empty(); }
  /// Switches to the card that the view names if the page has it, else to the page's last clicked
  /// card; where the view names none, to the page's main card.
  void followPage(Selection& selection);
  /// Handles the keys that apply only while presenting. Returns true if one was pressed.
  bool keys(Selection& selection);

  /// Record the card under the mouse: call forgetMouse() before a window's cards and noteCard()
  /// within each.
  void forgetMouse() { underMouse_ = {}; }
  void noteCard(const Page& page, const Card& card);

  /// The additions of a lecture: its sentence, which replaces the page's, its keys, its problem,
  /// and the counter of its slides, which replaces the current place.
  struct Words {
    SentenceStrip sentence;
    std::string keys, problem;
    std::string counter = {};  // "3 of 13"; empty: none
  };
  /// The wish of a button below a slide. These buttons show while the mouse moves, or after a
  /// touch.
  enum class Asked { nothing, back, next, leave };
  /// Draws the part below the card and subtracts it from the room: a sentence, then a line with the
  /// current place and the keys.
  Asked drawBelow(const PanelContext& panel, const Words& lecture, Rect& room) const;
  void end() { on_ = false; }
  /// Draws a soft ring around the mouse, over everything.
  void drawPointer(const FrameContext& look) const;

 private:
  /// The next card of a page that may be presented.
  std::string_view cardAfter(const Page& page, std::string_view card) const;
  std::string_view mainCardOf(const Page& page) const;
  std::string_view clickedOf(const Page& page) const;
  Asked drawLine(const PanelContext& panel, const Words& lecture, const Rect& at) const;

  const Pages& pages_;
  const ViewState& view_;
  bool on_ = false;
  bool pointer_ = true;
  std::string_view card_;
  std::map<const Page*, std::string_view> clicked_;  // the last clicked card of each page
  std::string_view underMouse_;  // found in the last frame of the whole window; empty: none
};

/// The scale of the interface while presenting; the view's own does not change.
float presentedScale(float scale);

}  // namespace headscope::ui
