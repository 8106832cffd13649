// The bare command: the window, opened on the pass that the flags describe.
#include "app/host/window.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/app.h"
#include "app/autosave.h"
#include "app/cli/commands.h"
#include "app/cli/look_options.h"
#include "app/cli/pass_options.h"
#include "app/view_json.h"

namespace headscope::cli {
namespace {

struct WindowFlags {
  PassOptions pass;
  LookOptions look;
  std::string trace;
  std::string shaderDir;
};

void openWindow(const WindowFlags& flags, bool scaleGiven) {
  AppOptions options;
  if (flags.pass.session.empty()) {
    options.document = documentForWindow(flags.pass);
  } else {
    formats::Session session = sessionFrom(flags.pass);
    options.document = session.document;
    options.view = viewFromJson(session.view, options.view);
    options.scenes = std::move(session.scenes);
    options.sessionPath = std::filesystem::absolute(flags.pass.session);
  }
  options.stateFolder = stateFolder();
  flags.look.applyTo(options.view);
  options.threads = flags.pass.threads;
  if (!flags.trace.empty()) options.tracePath = flags.trace;
  App program(std::move(options));
  host::WindowOptions window;
  window.shaderDir = flags.shaderDir;
  window.keepScale = scaleGiven;
  host::runWindow(program, window);
}

}  // namespace

Command addWindow(CLI::App& app) {
  auto flags = std::make_shared<WindowFlags>();
  addPassOptions(app, flags->pass);
  addLookOptions(app, flags->look);
  app.add_option("--trace", flags->trace, "where the window's 'Save trace' goes")
      ->check(notEmpty)
      ->type_name("FILE.safetensors");
  app.add_option("--shader-dir", flags->shaderDir, "read the shaders from there")
      ->check(CLI::ExistingDirectory);
  return {&app, [flags, &app](std::ostream&) {
            openWindow(*flags, app.get_option("--scale")->count() > 0);
          }};
}

}  // namespace headscope::cli
