// Open options: the document, theme and interface scale with which the program opens, in a window
// and in pictures.
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
  std::string palette = "usual";
  float scale = 1.0F;

  void applyTo(ui::ViewState& view) const;
};

void addLookOptions(CLI::App& app, LookOptions& options);

/// Returns the options to open the pass of the flags. A session opens on its own document; --scene
/// then recalls a scene as an edit that undo reverts.
AppOptions optionsToOpen(const PassOptions& pass, bool learnNow = false);

}  // namespace headscope::cli
