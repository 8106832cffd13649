// Help: pages over the whole window with an introduction, every key and gesture by theme, the page
// Model, and every term.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/ui/card.h"

namespace headscope::ui {

struct FrameContext;

class Help {
 public:
  static constexpr int kTermsPage = 3;
  void open(int page = 0) {
    open_ = appearing_ = true;
    page_ = page;
  }
  /// Draws the help while it is open. `?`, escape or a click outside close it.
  void draw(const FrameContext& look, const Cards& tools);
  /// Returns true once after "where to begin" was requested.
  bool takeStartAsked() { return std::exchange(startAsked_, false); }

 private:
  void pages(const FrameContext& look, const Cards& tools);

  bool open_ = false;
  bool appearing_ = false;
  bool startAsked_ = false;
  int page_ = 0;  // introduction, keys, whole models, terms
};

struct ShortcutGroup {
  std::string title;
  std::vector<Shortcut> shortcuts;
};

/// The groups of shortcuts, including the keys that open these tools and the tools' own keys.
std::vector<ShortcutGroup> shortcutGroups(const Cards& tools);

}  // namespace headscope::ui
