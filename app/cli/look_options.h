// Look options: theme and interface scale, for the window and for pictures.
#pragma once

#include <string>

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

}  // namespace headscope::cli
