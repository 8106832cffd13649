// Open options: what the program opens on, and its theme and interface scale, for the window and
// for pictures.
#pragma once

#include <string>

#include "app/app.h"
#include "app/cli/pass_options.h"
#include "app/ui/view_state.h"

namespace CLI {
class App;
}

namespace headscope::cli {

struct LookOptions {
  std::string theme = "light";
  float scale = 1.0F;

  void applyTo(ui::ViewState& view) const;
};

void addLookOptions(CLI::App& app, LookOptions& options);

/// From the flags of a pass. A session opens on its own document, which its file holds; --scene is
/// gone to from there, as an edit that undo takes back.
AppOptions optionsToOpen(const PassOptions& pass, bool learnNow = false);

}  // namespace headscope::cli
