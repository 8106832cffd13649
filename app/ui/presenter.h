// Presenter: one card of a page over the whole screen, in large type, for a room to see, with a
// sentence below it and a pointer that is seen from the last row.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/ui/page.h"
#include "app/ui/sentence_strip.h"

namespace headscope::ui {

class Presenter {
 public:
  explicit Presenter(const Pages& pages) : pages_(pages) {}

  bool on() const { return on_; }
  /// The one presented, by its id.
  std::string_view card() const { return card_; }

  /// On with the card whose controls have the keyboard (`withKeyboard`, if any), else the one under
  /// the mouse, else the last one clicked; or off again.
  void toggle(ViewState& view, std::string_view withKeyboard);
  /// On with the card that the view names: that of a scene.
  void begin(const ViewState& view) { on_ = view.focus.empty(); }
  /// The card that the view names where the page has it, else the page's own.
  void followPage(ViewState& view);
  /// The keys of presenting alone; true where one was pressed.
  bool keys(ViewState& view);

  /// Before a window's cards, and within each: which of them the mouse is over.
  void forgetMouse() { underMouse_ = {}; }
  void noteCard(const Page& page, const Card& card);

  /// What a lecture adds: its sentence in place of the page's, its keys, and what went wrong.
  struct Words {
    SentenceStrip sentence;
    std::string keys, problem;
  };
  /// Cuts what stands below the card off the room, and draws it: a sentence, then a line that says
  /// where one is, and the keys.
  void drawBelow(const PanelContext& panel, const Words& lecture, Rect& room) const;
  /// A soft ring around what the mouse points at, over everything.
  void drawPointer(const FrameContext& look) const;

 private:
  std::string_view clickedOf(const Page& page) const;
  void drawLine(const PanelContext& panel, const Words& lecture, const Rect& at) const;

  const Pages& pages_;
  bool on_ = false;
  bool pointer_ = true;
  std::string_view card_;
  std::map<const Page*, std::string_view> clicked_;  // the last one, of each page
  std::string_view underMouse_;  // found in the last frame of the whole window; empty: none
};

/// The interface's scale while presenting; the view's own stays as it is.
float presentedScale(float scale);

}  // namespace headscope::ui
