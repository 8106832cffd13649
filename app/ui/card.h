// Card: what fills a card of the window: a tool, a picture, a table. Each is registered once, with
// what it is called and the key that opens it; it draws itself, takes keys of its own, and holds
// what it remembers between frames.
#pragma once

#include <algorithm>
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
  const char* about;  // one line
  char key = 0;       // a capital letter; 0: none opens it
  bool tall = true;   // wants more than its usual share of the window's height
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

  /// At the cursor of the current window, `size` in all.
  virtual void draw(const Panel& panel, ImVec2 size) = 0;
  /// Its own keys while it is open; true where one was meant for it. `inSight` is false while
  /// another panel fills the screen.
  virtual bool keys(const Panel& panel, bool inSight);
  /// What these keys do.
  virtual std::vector<Shortcut> shortcuts() const { return {}; }
  virtual ReferenceKind reference() const { return ReferenceKind::none; }

 private:
  CardText text_;
};

inline bool Card::keys(const Panel& /*panel*/, bool /*inSight*/) { return false; }

/// Cards of which one is open.
class Cards {
 public:
  explicit Cards(std::vector<std::unique_ptr<Card>> cards) : cards_(std::move(cards)) {}

  const std::vector<std::unique_ptr<Card>>& all() const { return cards_; }
  /// The card of an id; the first where there is none, as of a newer program's session.
  Card& open(std::string_view id) const {
    const auto found = std::find_if(cards_.begin(), cards_.end(),
                                    [id](const auto& card) { return card->text().id == id; });
    return found != cards_.end() ? **found : *cards_.front();
  }
  /// The card that this key (a capital letter) opens; null: none.
  const Card* ofKey(char key) const {
    const auto found = std::find_if(cards_.begin(), cards_.end(),
                                    [key](const auto& card) { return card->text().key == key; });
    return found != cards_.end() ? found->get() : nullptr;
  }

 private:
  std::vector<std::unique_ptr<Card>> cards_;
};

}  // namespace headscope::ui
