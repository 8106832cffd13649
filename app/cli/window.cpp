// The bare command: the window, opened on the pass that the flags describe; without a display a
// picture of it and a summary of the pass.
#include "app/host/window.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "app/app.h"
#include "app/autosave.h"
#include "app/cli/commands.h"
#include "app/cli/open_options.h"
#include "app/cli/output.h"
#include "app/cli/pass_input.h"
#include "app/cli/pass_options.h"
#include "app/host/image.h"
#include "app/host/offscreen.h"
#include "core/formats/state_dict.h"

namespace headscope::cli {
namespace {

struct WindowFlags {
  PassOptions pass;
  LookOptions look;
  std::string trace;
  std::string shaderDir;
};

constexpr const char* kPictureInstead = "headscope.png";
constexpr int kPictureWidth = 1600;
constexpr int kPictureHeight = 1000;

AppOptions programFor(const WindowFlags& flags, bool learnNow = false) {
  AppOptions options = optionsToOpen(flags.pass, learnNow);
  flags.look.applyTo(options.view);
  options.threads = flags.pass.threads;
  options.firstLook = flags.pass.session.empty();
  return options;
}

void drawInstead(const WindowFlags& flags, std::ostream& out) {
  AppOptions program = programFor(flags, true);
  program.view.animate = false;
  const TracePtr trace = computePass(flags.pass, program.document);
  const PictureRequest picture{std::move(program), kPictureWidth, kPictureHeight,
                               std::filesystem::path(kPictureInstead)};
  host::writePng(picture.path, host::drawPicture(picture, flags.shaderDir));
  out << "No display here (DISPLAY and WAYLAND_DISPLAY are empty): " << kPictureInstead
      << " shows what the window would. Its pass:\n\n";
  printSummary(out, *trace, memoryNote(flags.pass));
  if (flags.trace.empty()) return;
  formats::saveTrace(flags.trace, *trace);
  out << "trace: " << flags.trace << '\n';
}

void openWindow(const WindowFlags& flags, bool scaleGiven) {
  AppOptions options = programFor(flags);
  options.stateFolder = stateFolder();
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
  return {&app, [flags, &app](std::ostream& out) {
            if (!host::displayNamed()) return drawInstead(*flags, out);
            openWindow(*flags, app.get_option("--scale")->count() > 0);
          }};
}

}  // namespace headscope::cli
