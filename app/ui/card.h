// Card: what fills a card of the window or a tab of one: a tool, a picture, a table. Each is
// registered once, with what it is called and the key that opens it; it draws itself, takes keys of
// its own, and holds what it remembers between frames.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/panel.h"

namespace headscope::ui {

struct CardText {
  std::string_view id;  // in sessions: it stays, whatever the title becomes
  const char* title;
  const char* about;             // one line: its tab's tooltip
  char key = 0;                  // a capital letter; 0: none opens it
  bool tall = true;              // wants more than its usual share of the window's height
  const char* beside = nullptr;  // stands beside the tabs while it is open; null: `about` does
  bool alone = true;             // may fill the screen or a picture by itself
};

/// What the present pass is held against while a card is open.
enum class ReferenceKind {
  none,
  chosen,   // what ViewState::against says
  mistake,  // the same document with ViewState::mistake switched over
};

/// A key or gesture, as the help lists it.
struct Shortcut {
  std::string keys;  // "ctrl+z", "←  →"
  std::string does;
};

class Card {
 public:
  explicit Card(const CardText& text) : text_(text) {}
  virtual ~Card() = default;
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  const CardText& text() const { return text_; }

  /// Fills what is left of the current window.
  virtual void draw(const PanelContext& panel) = 0;
  /// What stands at the right end of the tabs' line while it is open, and its width in points at
  /// scale 1.
  virtual void drawControls(const PanelContext& /*panel*/) {}
  virtual float controlsWidth() const { return 0.0F; }
  /// Its own keys while it is open; true where one was meant for it. `inSight` is false while
  /// another panel fills the screen.
  virtual bool keys(const PanelContext& /*panel*/, bool /*inSight*/) { return false; }
  /// What these keys do.
  virtual std::vector<Shortcut> shortcuts() const { return {}; }
  virtual ReferenceKind reference() const { return ReferenceKind::none; }
  /// The view was opened from a file: what is chosen in it holds.
  virtual void viewOpened(const ViewState& /*view*/) {}
  /// The mouse is on what the wheel zooms: nothing else scrolls.
  virtual bool takesWheel() const { return false; }

 private:
  CardText text_;
};

/// Cards of which one is open.
class Cards {
 public:
  explicit Cards(std::vector<std::unique_ptr<Card>> cards) : cards_(std::move(cards)) {}
  template <typename... Made>
  static Cards of(Made... made) {
    std::vector<std::unique_ptr<Card>> cards;
    (cards.push_back(std::move(made)), ...);
    return Cards(std::move(cards));
  }

  const std::vector<std::unique_ptr<Card>>& all() const { return cards_; }
  Card& at(std::size_t place) const { return *cards_[place]; }
  /// The place of an id; the first where there is none, as of a newer program's session.
  std::size_t placeOf(std::string_view id) const;
  Card& open(std::string_view id) const { return at(placeOf(id)); }
  /// The card that this key (a capital letter) opens; null: none.
  const Card* ofKey(char key) const;

  /// The line of their tabs, with the controls of the open one at its right end, of which `kept`
  /// stays free; the open one goes below. Gives the place of the one to be open from now on.
  std::size_t tabs(const PanelContext& panel, const char* id, std::size_t open,
                   float kept = 0.0F) const;

 private:
  std::vector<std::unique_ptr<Card>> cards_;
};

}  // namespace headscope::ui
