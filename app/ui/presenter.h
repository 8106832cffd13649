// Presenter: one card of a page over the whole screen, in large type, for a room to see.
#pragma once

#include <map>
#include <string_view>

#include "app/ui/page.h"

namespace headscope::ui {

class Presenter {
 public:
  explicit Presenter(const Pages& pages) : pages_(pages) {}

  bool on() const { return on_; }
  /// The one presented, by its id.
  std::string_view card() const { return card_; }

  /// On with the card whose controls have the keyboard (`withKeyboard`, if any), else the one under
  /// the mouse, else the last one clicked; or off again.
  void toggle(const ViewState& view, std::string_view withKeyboard);
  /// A card of the page that is shown, whichever key changed it.
  void followPage(const ViewState& view);
  /// The keys of presenting alone; true where one was pressed.
  bool keys(const ViewState& view);

  /// Before a window's cards, and within each: which of them the mouse is over.
  void forgetMouse() { underMouse_ = {}; }
  void noteCard(const Page& page, const Card& card);

  /// The line below the card: where one is, and the keys.
  static float lineHeight(const Look& look);
  void drawLine(const Panel& panel, const Rect& at) const;

 private:
  std::string_view clickedOf(const Page& page) const;

  const Pages& pages_;
  bool on_ = false;
  std::string_view card_;
  std::map<const Page*, std::string_view> clicked_;  // the last one, of each page
  std::string_view underMouse_;  // found in the last frame of the whole window; empty: none
};

/// The interface's scale while presenting; the view's own stays as it is.
float presentedScale(float scale);

}  // namespace headscope::ui
