#include "app/cli/open_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "app/cli/config_options.h"
#include "app/view_json.h"
#include "core/platform/paths.h"

namespace headscope::cli {

void LookOptions::applyTo(ui::ViewState& view) const {
  view.preferences.theme = theme == "dark" ? ui::ThemeKind::dark : ui::ThemeKind::light;
  view.preferences.palette = palette == "safe" ? ui::Palette::safe : ui::Palette::usual;
  view.preferences.scale = scale;
}

void addLookOptions(CLI::App& app, LookOptions& options) {
  app.add_option("--theme", options.theme, "light (default) or dark")
      ->check(CLI::IsMember({"light", "dark"}));
  app.add_option("--palette", options.palette,
                 "usual (default), or safe: heads, Q, K and V told apart in grey print and by the "
                 "colour-blind")
      ->check(CLI::IsMember({"usual", "safe"}));
  app.add_option("--scale", options.scale, "scale of the interface, 1 (default) to 3")
      ->check(notNumber)
      ->check(CLI::Range(ui::kMinScale, ui::kMaxScale))
      ->type_name("X");
}

AppOptions optionsToOpen(const PassOptions& pass, bool learnNow) {
  AppOptions options;
  if (pass.session.empty()) {
    options.document = documentForWindow(pass, learnNow);
    options.learns = !learnNow && windowLearns(pass);
    return options;
  }
  formats::Session session = sessionFrom(pass);
  const formats::SavedScene* scene = sceneFrom(pass, session);
  options.document = session.document;
  options.view = viewFromJson(scene != nullptr ? scene->view : session.view, options.view);
  options.scene = pass.scene.value_or(0);
  options.scenes = std::move(session.scenes);
  options.models = std::move(session.models);
  options.sessionContent = session.content;
  options.sessionPath = platform::absolutePath(pass.session);
  return options;
}

}  // namespace headscope::cli
