#include "app/cli/look_options.h"

#include <CLI/CLI.hpp>

#include "app/cli/config_options.h"

namespace headscope::cli {

void LookOptions::applyTo(ui::ViewState& view) const {
  view.theme = theme == "dark" ? ui::ThemeKind::dark : ui::ThemeKind::light;
  view.scale = scale;
}

void addLookOptions(CLI::App& app, LookOptions& options) {
  app.add_option("--theme", options.theme, "light (default) or dark")
      ->check(CLI::IsMember({"light", "dark"}));
  app.add_option("--scale", options.scale, "of the interface, 1 (default) to 3")
      ->check(notNumber)
      ->check(CLI::Range(ui::kMinScale, ui::kMaxScale))
      ->type_name("X");
}

}  // namespace headscope::cli
