// The bare command: opens the window on the pass of the flags; without a display, writes a picture
// of it and a summary of the pass.
#include "app/host/window.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "app/app.h"
#include "app/autosave.h"
#include "app/cli/commands.h"
#include "app/cli/file_flags.h"
#include "app/cli/layer_of_model.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/open_options.h"
#include "app/cli/output.h"
#include "app/cli/pass_input.h"
#include "app/cli/pass_options.h"
#include "app/host/figure.h"
#include "app/languages.h"
#include "app/settings.h"
#include "core/base/error.h"
#include "core/formats/model_directory.h"
#include "core/formats/pass_files.h"
#include "core/formats/session.h"
#include "core/formats/shipped_model.h"
#include "core/platform/paths.h"

namespace headscope::cli {
namespace {

struct WindowFlags {
  PassOptions pass;
  LookOptions look;
  std::string trace;
  std::string shaderDir;
  std::string path;  // a file, opened as if dropped on the window, or a model's folder
};

constexpr const char* kPictureInstead = "headscope.png";
constexpr const char* kNoDisplay = "No display here (DISPLAY and WAYLAND_DISPLAY are empty)";
constexpr int kPictureWidth = 1600;
constexpr int kPictureHeight = 1000;

AppOptions programFor(const WindowFlags& flags, bool learnNow = false) {
  AppOptions options;
  if (flags.pass.model.empty()) {
    options = optionsToOpen(flags.pass, learnNow);
  } else {
    openWithModel(options, flags.pass);
  }
  flags.look.applyTo(options.view);
  options.threads = flags.pass.threads;
  options.firstLook = flags.pass.session.empty();
  return options;
}

/// Returns whether the path is a link from "Copy link": "https://…/#s1.…".
bool isLink(const std::string& path) {
  return path.find("#s") != std::string::npos && !platform::exists(path);
}

/// Writes a picture of the window's content.
void drawInstead(AppOptions program, const std::string& shaderDir) {
  program.view.preferences.animate = false;
  const PictureRequest picture{std::move(program),
                               kPictureWidth,
                               kPictureHeight,
                               std::filesystem::path(kPictureInstead),
                               {}};
  host::writePicture(picture, shaderDir);
}

void drawPassInstead(const WindowFlags& flags, std::ostream& out) {
  AppOptions program = programFor(flags, true);
  const TracePtr trace = computePass(flags.pass, program.document);
  drawInstead(std::move(program), flags.shaderDir);
  out << kNoDisplay << ": " << kPictureInstead << " shows what the window would. Its pass:\n\n";
  printSummary(out, *trace, memoryNote(flags.pass));
  if (!flags.trace.empty()) {
    formats::saveTrace(flags.trace, *trace);
    out << "trace: " << flags.trace << '\n';
  }
  out << "\nWithout a display, 'headscope run', 'explain', 'analyze', 'export' and 'render' show\n"
         "and save it; 'headscope --help' lists all commands\n";
}

/// The flags that set what the settings of earlier runs would set.
struct Given {
  bool scale = false, theme = false, palette = false;
  bool page = false;  // any other flag: what it asks for is shown by the first page, or its own
};

void showWindow(AppOptions options, const WindowFlags& flags, const Given& given) {
  options.stateFolder = stateFolder();
  if (options.stateFolder.empty()) options.noStateFolder = noStateFolder();
  if (!flags.trace.empty()) options.tracePath = flags.trace;
  Settings settings = loadSettings(options.stateFolder);
  if (given.theme) settings.theme.reset();
  if (given.palette) settings.palette.reset();
  if (given.scale) settings.scale.reset();
  applySettings(settings, options.view);
  Languages languages = useLanguage(options.stateFolder, settings.language);
  options.languages = std::move(languages.names);
  App program(std::move(options));
  if (!languages.problem.empty()) program.say(languages.problem, true);
  if (!given.page && !settings.page.empty()) program.view().selection.page = settings.page;
  const std::string& folder = program.view().model.place.folder;
  if (!folder.empty() && !formats::isShipped(folder)) noteRecent(program.settings(), folder);
  if (isLink(flags.path)) {
    program.openLink(flags.path);
  } else if (!flags.path.empty()) {
    program.dropFiles({platform::absolutePath(flags.path)});
  }
  host::WindowOptions window;
  window.shaderDir = flags.shaderDir;
  window.keepScale = given.scale;
  host::runWindow(program, window);
}

void openModelOn(const formats::AdaptedFolder& place, const WindowFlags& flags, const Given& given,
                 std::ostream& out, bool strict = false) {
  // reported here, because the window would have nothing to show
  const model::ModelPtr model = openModelFolder(place, 0, strict);
  const std::string folder = place.model.string();
  if (!host::displayNamed()) {
    out << kNoDisplay << ".\n"
        << modelInWords(*model) << '\n'
        << fmt::format(
               "'headscope model {0} --text \"…\"' prints its predictions and heads; "
               "'headscope render --model {0} --layer 0 --text \"…\" --out FILE.png' draws "
               "a layer\n",
               folder);
    return;
  }
  AppOptions options = programFor(flags);
  options.view.selection.page = ui::kModelPage;
  options.view.model.place.folder =
      formats::isShipped(folder) ? folder : platform::absolutePath(folder).string();
  if (!place.adapter.folder.empty()) {
    options.view.model.place.adapter = platform::absolutePath(place.adapter.folder).string();
    options.view.model.place.adapterStrength = place.adapter.strength;
  }
  showWindow(std::move(options), flags, {given.scale, given.theme, given.palette, true});
}

/// Throws UserError where the opened path would replace the input of these flags.
void refuseContradictions(const WindowFlags& flags) {
  const PassOptions& pass = flags.pass;
  const std::string other = !pass.contradiction.empty() ? pass.contradiction
                            : !pass.session.empty()     ? "--session"
                            : !pass.model.empty()       ? "--model"
                                                        : "";
  if (isLink(flags.path) && !other.empty()) {
    throw UserError(fmt::format(
        "a link gives the whole pass, and {} describes it too: leave one of them out", other));
  }
  const char* input = !pass.texts.empty()    ? "--text"
                      : !pass.series.empty() ? "--series"
                      : !pass.input.empty()  ? "--input"
                                             : nullptr;
  if (flags.path.ends_with(".csv") && input != nullptr) {
    throw UserError(
        fmt::format("{} and {} both give the input: leave one of them out", flags.path, input));
  }
  if (flags.path.ends_with(".safetensors") && !pass.weights.empty()) {
    throw UserError(
        fmt::format("{} and --weights both give the weights: leave one of them out", flags.path));
  }
}

void openOn(WindowFlags flags, const Given& given, std::ostream& out) {
  refuseContradictions(flags);
  const bool link = isLink(flags.path);
  const std::filesystem::path path = link ? std::string() : std::exchange(flags.path, {});
  if (link && !host::displayNamed()) {
    throw UserError("there is no display to open the link on; a browser opens it, too");
  }
  if (formats::isShipped(path)) return openModelOn({path, {}}, flags, given, out);
  if (!path.empty()) {
    if (!platform::exists(path)) {
      throw UserError(fmt::format(
          "'{}' is neither a command nor a file or folder; 'headscope --help' lists the commands",
          path.string()));
    }
    if (platform::isFolder(path) || formats::isModelFile(path)) {
      return openModelOn(formats::adaptedFolder(path, {}), flags, given, out);
    }
    if (formats::isSession(path)) {
      flags.pass.session = path.string();
    } else if (host::displayNamed()) {
      flags.path = path.string();
    } else {
      throw UserError(
          fmt::format("no display here to open '{}' on; 'headscope render' draws a "
                      "picture of what --weights or --series name",
                      path.string()));
    }
  }
  if (!host::displayNamed()) return drawPassInstead(flags, out);
  showWindow(programFor(flags), flags, given);
}

}  // namespace

void openModelWindow(const formats::AdaptedFolder& folder, int threads, bool strict,
                     std::ostream& out) {
  WindowFlags flags;
  flags.pass.threads = threads;
  openModelOn(folder, flags, {}, out, strict);
}

Command addWindow(CLI::App& app) {
  auto flags = std::make_shared<WindowFlags>();
  addPassOptions(app, flags->pass);
  addLookOptions(app, flags->look);
  app.add_option("--trace", flags->trace, "the file for the window's 'Save trace'")
      ->check(notEmpty)
      ->type_name("FILE.safetensors");
  app.add_option("--shader-dir", flags->shaderDir, "read the shaders from this folder")
      ->check(CLI::ExistingDirectory);
  app.add_option("path", flags->path,
                 "a session, a link, a lesson, weights, a series or a model's folder to open")
      ->type_name("FILE|DIR|LINK");
  return {&app, [flags, &app](std::ostream& out) {
            FileFlags files;
            addFilesRead(files, flags->pass);
            files.reads("FILE", flags->path);
            files.writes("--trace", flags->trace, {kTraceEnding});
            files.check();
            const auto isGiven = [&](const char* flag) {
              return app.get_option(flag)->count() > 0;
            };
            Given given{isGiven("--scale"), isGiven("--theme"), isGiven("--palette")};
            const auto flagsGiven = std::ranges::count_if(
                app.get_options(), [](const CLI::Option* option) { return option->count() > 0; });
            given.page = flagsGiven > given.scale + given.theme + given.palette;
            openOn(*flags, given, out);
          }};
}

}  // namespace headscope::cli
