// Card: the content of a card of the window or of one of its tabs, such as a tool, a picture or a
// table. Each is registered once with its title and the key that opens it. It draws itself, handles
// its own keys, and keeps its state between frames.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::ui {

struct PanelContext;
struct ViewState;

struct CardText {
  std::string_view id;  // stored in sessions; never changes, even if the title does
  const char* title;
  const char* about;               // one line: the tooltip of its tab
  char key = 0;                    // the capital letter that opens it; 0: none
  bool tall = true;                // needs more than the usual share of the window's height
  const char* subtitle = nullptr;  // shown next to the tabs while it is open; null: `about`
  bool alone = true;               // may fill the screen or a picture alone
  bool framed = true;              // stands on a panel with a border
  float strip = 0.0F;  // points: on an upright phone it stays below any other card, this high
};

/// The pass that the current pass is compared with while a card is open.
enum class ReferenceKind {
  none,
  chosen,   // the pass that ViewState::against names
  mistake,  // the document with ViewState::mistake toggled
};

/// A key or gesture as listed in the help.
struct Shortcut {
  std::string keys;  // "ctrl+z", "←  →"
  std::string does;
};

/// A tab within a card, as the search over commands finds it.
struct CardTab {
  std::string title, about;
  std::function<void(const PanelContext&)> open;
};

class Card {
 public:
  explicit Card(const CardText& text) : text_(text) {}
  virtual ~Card() = default;
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  const CardText& text() const { return text_; }

  /// Draws the card into the remaining space of the current window.
  virtual void draw(const PanelContext& panel) = 0;
  /// The controls at the right end of the line of tabs while the card is open, and their width in
  /// points at scale 1.
  virtual void drawControls(const PanelContext& /*panel*/) {}
  virtual float controlsWidth() const { return 0.0F; }
  /// Handles the card's own keys while it is open. Returns true if it used one. `inSight` is false
  /// while another panel fills the screen.
  virtual bool keys(const PanelContext& /*panel*/, bool /*inSight*/) { return false; }
  /// Handles the card's keys that change the layer while it is open; they are pressed with alt.
  /// Returns true if it used one.
  virtual bool editKeys(const PanelContext& /*panel*/) { return false; }
  /// The keys that keys() and editKeys() handle, for the help.
  virtual std::vector<Shortcut> shortcuts() const { return {}; }
  virtual ReferenceKind reference() const { return ReferenceKind::none; }
  /// Called when the view was opened from a file, so that the card keeps the choices in it.
  virtual void viewOpened(const ViewState& /*view*/) {}
  /// The tabs of the card's own that can be opened now.
  virtual std::vector<CardTab> tabs(const PanelContext& /*panel*/) const { return {}; }
  /// Returns whether the wheel zooms the item under the mouse, so that nothing else scrolls.
  virtual bool takesWheel() const { return false; }

 private:
  CardText text_;
};

/// A set of cards, one of which is open.
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
  /// Returns the index of an id, or 0 where it is unknown, as in the session of a newer program.
  std::size_t placeOf(std::string_view id) const;
  Card& open(std::string_view id) const { return at(placeOf(id)); }
  /// Returns the card that this key (a capital letter) opens, or null.
  const Card* ofKey(char key) const;

  /// Draws the line of tabs, with the controls of the open card at its right end; `kept` stays free
  /// there. The open card is drawn below. Returns the index of the card to open next.
  std::size_t tabs(const PanelContext& panel, const char* id, std::size_t open,
                   float kept = 0.0F) const;
  /// The cards as tabs that `choose` opens by their place.
  std::vector<CardTab> asTabs(
      const std::function<void(const PanelContext&, std::size_t)>& choose) const;

 private:
  std::vector<std::unique_ptr<Card>> cards_;
};

}  // namespace headscope::ui
