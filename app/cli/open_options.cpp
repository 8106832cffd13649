#include "app/cli/open_options.h"

#include <filesystem>
#include <utility>

#include "app/view_json.h"

namespace headscope::cli {

AppOptions optionsToOpen(const PassOptions& pass) {
  AppOptions options;
  if (pass.session.empty()) {
    options.document = documentForWindow(pass);
    return options;
  }
  formats::Session session = sessionFrom(pass);
  const formats::SavedScene* scene = sceneFrom(pass, session);
  options.document = session.document;
  options.view = viewFromJson(scene != nullptr ? scene->view : session.view, options.view);
  options.scene = pass.scene.value_or(0);
  options.scenes = std::move(session.scenes);
  options.sessionPath = std::filesystem::absolute(pass.session);
  return options;
}

}  // namespace headscope::cli
