// Search: a dialog that finds pages, tools, cards, commands, terms, examples and lessons by what is
// typed, and opens the chosen one (ctrl+k).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/card.h"
#include "app/ui/page.h"

namespace headscope::ui {

struct SearchEntry {
  std::string title;  // in plain text
  const char* kind;   // "page", "command", "term" …
  std::string keys;   // the keys that do it, too; empty: none
  std::string about;  // a sentence or two
  std::function<void(const PanelContext&)> open;
  std::string also = {};  // other words that it is found by, never shown
};

/// Everything that can be found now, by kind.
std::vector<SearchEntry> searchEntries(const PanelContext& panel, const Pages& pages,
                                       const Cards& tools);

/// Returns the places of the entries that contain every word of `typed`, in any case, with or
/// without hyphens and underscores; those where the words begin the title, or a word of it, come
/// first. Nothing typed: all entries.
std::vector<std::size_t> found(const std::vector<SearchEntry>& entries, std::string_view typed);

class Search {
 public:
  void open() { open_ = appearing_ = true; }
  bool isOpen() const { return open_; }
  /// Draws the dialog while it is open. Escape closes it; enter or a click opens what is chosen.
  void draw(const PanelContext& panel, const Pages& pages, const Cards& tools);

 private:
  void results(const PanelContext& panel);

  bool open_ = false;
  bool appearing_ = false;
  std::string typed_;
  std::vector<SearchEntry> entries_;  // of the time when it was opened
  std::vector<std::size_t> found_;
  std::size_t chosen_ = 0;  // among the found ones
  bool scrolls_ = false;    // the chosen one is to be scrolled into sight
  const SearchEntry* taken_ = nullptr;
};

}  // namespace headscope::ui
