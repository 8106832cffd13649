// First look: what the window opens on where nothing else was asked for: a number chosen in a head
// that has something to do, and a sentence on what to try with it, which goes once anything is
// done.
#pragma once

#include <optional>
#include <string>

#include "app/ui/panel.h"

namespace headscope::ui {

class FirstLook {
 public:
  /// Chooses the score whose query has its partner farthest away, of what the heads were trained or
  /// designed for. Where nothing is known of them the view stays, and nothing is said.
  void open(const Document& document, ViewState& view);

  /// Empty once the user has acted. Once a frame.
  std::string inWords(const PanelContext& panel);

 private:
  bool isAsOpened(const PanelContext& panel) const;

  std::optional<CellRef> cell_;
  const Document* document_ = nullptr;  // as it was first shown: compared, never read
};

}  // namespace headscope::ui
