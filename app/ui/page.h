// Page: what the window shows below its bars: cards at places of the body, most of which may also
// fill the screen or a picture alone. A new page is a file with its Page, and a line in
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
  std::string_view id;  // in sessions and on the command line: it stays
  const char* title;    // on its button at the upper left
  const char* about;
  std::string_view presented;  // the card that is presented where none was clicked
  std::string_view controls;   // the card that the keyboard goes to first
};

class Page {
 public:
  Page(const PageText& text, Cards cards) : text_(text), cards_(std::move(cards)) {}
  virtual ~Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  const PageText& text() const { return text_; }
  /// In the order they are drawn in. Their ids differ from those of other pages.
  const Cards& cards() const { return cards_; }

  /// Whether there is anything on it: else it has no button, and the keyboard passes it by.
  virtual bool offered() const { return true; }
  /// Whether it is about the document; else the bars leave out what belongs to that alone.
  virtual bool showsDocument() const { return true; }
  /// Once a frame while it is shown, whichever of its cards are.
  virtual void follow(const PanelContext& /*panel*/) const {}
  /// At the right of the status bar.
  virtual std::string figuresInWords(const PanelContext& panel) const;

  /// What the cards take of a body of this size; larger than it: the body scrolls.
  virtual ImVec2 content(const PanelContext& panel, ImVec2 body) const = 0;
  /// Where each card stands in content of this size; empty where it is not shown.
  virtual std::vector<Rect> layout(const PanelContext& panel, ImVec2 content) const = 0;
  /// Its own keys; true where one was meant for it.
  virtual bool keys(const PanelContext& /*panel*/) const { return false; }
  /// While a card is presented: where one is, and what the keyboard does there.
  virtual std::string placeInWords(const PanelContext& panel, std::string_view card) const = 0;
  virtual std::string keysInWords(const ViewState& view) const = 0;
  /// And what is to be seen there, as a sentence of rich text; empty where the card says it itself.
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

/// All of them, in the order of their buttons; ViewState::page says which is shown.
class Pages {
 public:
  explicit Pages(std::vector<std::unique_ptr<Page>> pages) : pages_(std::move(pages)) {}

  const std::vector<std::unique_ptr<Page>>& all() const { return pages_; }
  /// The page of an id; the first where there is none, as of a newer program's session.
  const Page& open(std::string_view id) const { return *pages_[placeOf(id)]; }
  /// The page with a card that may fill the screen; null: none has it.
  const Page* withCard(std::string_view card) const;
  /// V shows the next one; else the keys of the one that is shown.
  bool keys(const PanelContext& panel) const;

 private:
  std::size_t placeOf(std::string_view id) const;

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace headscope::ui
