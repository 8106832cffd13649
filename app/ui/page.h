// Page: the content of the window below its bars, which is a set of cards in the body. Most cards
// may also fill the screen or a picture alone. A new page is a file with its Page, and a line in
// App::State::makePages().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/card.h"
#include "app/ui/parts/layout.h"

namespace headscope::ui {

struct PageText {
  std::string_view id;  // stored in sessions and used on the command line; never changes
  const char* title;    // the text of its button at the upper left
  const char* about;
  std::string_view presented;  // the card presented where none was clicked
  std::string_view controls;   // the card that the keyboard goes to first
};

class Page {
 public:
  Page(const PageText& text, Cards cards) : text_(text), cards_(std::move(cards)) {}
  virtual ~Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  const PageText& text() const { return text_; }
  /// The cards in drawing order. Their ids are unique among all pages.
  const Cards& cards() const { return cards_; }

  /// Returns whether the page shows the document. Otherwise the bars hide the document's controls.
  virtual bool showsDocument(const ViewState& /*view*/) const { return true; }
  /// Returns whether the page's edits are those of the layer, so that undo and redo act on it.
  virtual bool editsLayer() const { return true; }
  /// Returns whether the page has this card in the view, if perhaps not on the screen.
  virtual bool has(const ViewState& /*view*/, std::string_view /*card*/) const { return true; }
  /// Changes the view so that the page has this card on the screen, where the view alone decides.
  virtual void reveal(const PanelContext& /*panel*/, std::string_view /*card*/) const {}
  /// Called once a frame while the page is shown, whichever of its cards are visible.
  virtual void follow(const PanelContext& /*panel*/) const {}
  /// The figures at the right of the status bar.
  virtual std::string figuresInWords(const PanelContext& panel) const;

  /// The size that the cards need in a body of this size; the body scrolls where it is larger.
  virtual ImVec2 content(const PanelContext& panel, ImVec2 body) const = 0;
  /// The place of each card in content of this size; an empty rectangle where it is not shown.
  virtual std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const = 0;
  /// Handles the page's own keys. Returns true if it used one.
  virtual bool keys(const PanelContext& /*panel*/) const { return false; }
  /// The line below a presented card: the current place, and the keys.
  virtual std::string placeInWords(const PanelContext& panel, std::string_view card) const = 0;
  virtual std::string keysInWords(const ViewState& view) const = 0;
  /// How to start what a slide waits for; empty where it waits for nothing.
  virtual std::string startInWords(const ViewState& /*view*/) const { return {}; }
  /// The sentence below a presented card, as rich text; empty where the card has its own.
  virtual std::string sentenceInWords(const PanelContext& /*panel*/,
                                      std::string_view /*card*/) const {
    return {};
  }

  void viewOpened(const ViewState& view) const;
  bool takesWheel() const;

 private:
  PageText text_;
  Cards cards_;
};

/// All pages, in the order of their buttons; ViewState::page names the shown one.
class Pages {
 public:
  explicit Pages(std::vector<std::unique_ptr<Page>> pages) : pages_(std::move(pages)) {}

  const std::vector<std::unique_ptr<Page>>& all() const { return pages_; }
  /// Returns the page of an id, or the first where it is unknown, as in the session of a newer
  /// program.
  const Page& open(std::string_view id) const { return *pages_[placeOf(id)]; }
  /// Returns the page that has this card and lets it fill the screen, or null.
  const Page* withCard(std::string_view card) const;
  /// Handles V, which shows the next page, or otherwise the keys of the shown page.
  bool keys(const PanelContext& panel) const;

 private:
  std::size_t placeOf(std::string_view id) const;

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace headscope::ui
