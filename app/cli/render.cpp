// The render command: draws the content of the window into a picture, offscreen.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "app/app.h"
#include "app/cli/cell_options.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/film_options.h"
#include "app/cli/open_options.h"
#include "app/cli/pass_options.h"
#include "app/host/figure.h"
#include "app/ui/export_choice.h"
#include "app/ui/first_look.h"
#include "app/ui/stage/journey.h"
#include "core/attention/steps/step.h"
#include "core/document/document.h"
#include "core/document/trace.h"

namespace headscope::cli {
namespace {

struct RenderOptions {
  PassOptions pass;
  CellOptions cell;
  LookOptions look;
  FilmOptions film;
  TrainViewOptions run;
  std::string view;  // empty: not given
  std::string size = "1600x1000";
  std::string shaderDir;
  std::string out;
  std::optional<double> moment;
  std::optional<double> centimetres;
};

struct Size {
  int width = 0, height = 0;
};

Size sizeFrom(const std::string& text) {
  Size size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  const bool separated = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height =
      separated ? std::from_chars(width.ptr + 1, end, size.height) : std::from_chars_result{};
  const auto fits = [](int side) {
    return side >= ui::kMinPictureSide && side <= ui::kMaxPictureSide;
  };
  if (!separated || height.ec != std::errc() || height.ptr != end || !fits(size.width) ||
      !fits(size.height)) {
    throw UserError(
        fmt::format("--size {}: give width x height in pixels, {} to {} each: 1600x1000", text,
                    ui::kMinPictureSide, ui::kMaxPictureSide));
  }
  return size;
}

/// Returns the view of the picture. `view`: the view at program start; a session's view is kept
/// where no flag overrides it.
ui::ViewState viewFrom(const RenderOptions& options, const Document& document, ui::ViewState view) {
  const AttentionConfig& config = document.config;
  const bool saved = !options.pass.session.empty();
  checkHeadLayer(options.cell, options.pass.layer);
  CellOptions cell = options.cell;
  const bool cellGiven = !cell.step.empty() || cell.item || cell.head || cell.row || cell.col;
  options.look.applyTo(view);
  view.selection.focus = options.view == "step" ? ui::kStepViewCard : "";
  if (!options.view.empty()) {
    view.selection.page = options.view == "heads"   ? ui::kHeadsPage
                          : options.view == "stage" ? ui::kStagePage
                          : options.view == "train" ? ui::kTrainPage
                                                    : ui::kFlowPage;
  }
  view.preferences.animate = false;
  if (options.view == "stage") {
    if (options.moment) view.stage.at = ui::journeyAt(*options.moment);
    view.stage.word = cell.row.value_or(-1);
  } else if (options.moment || cellGiven) {
    view.selection.playTime = options.moment;
  }
  if (saved && !cellGiven) return view;
  if (options.view == "stage" && !cellGiven) {  // on the word with which the window opens
    ui::FirstLook().open(document, view);
    return view;
  }
  view.selection.cell.reset();
  if (cell.step.empty()) cell.step = "score";
  view.selection.step = stepIdFromString(cell.step);
  if (!info(tensorFrom(cell)).perHead) {  // the head is still chosen for the other panels
    CellOptions place = {"score", {}, {}, cell.head, {}, {}};
    view.selection.head = cellFrom(place, config).head;
    cell.head.reset();
  }
  const CellRef chosen = cellFrom(cell, config);
  view.selection.item = chosen.item;
  if (chosen.head >= 0) view.selection.head = chosen.head;
  if (cell.row || cell.col) view.selection.cell = chosen;
  return view;
}

void checkFlags(const RenderOptions& options) {
  FileFlags files;
  addFilesRead(files, options.pass);
  files.writes("--out", options.out, {".png", ".svg", ".pdf"});
  files.writes("--film", options.film.path, {kFilmEndings.begin(), kFilmEndings.end()});
  files.check();
  if (options.out.empty() == options.film.path.empty()) {
    throw UserError("give --out F.png for a picture, or --film F.webp for a film");
  }
  options.film.refuseWithoutFilm();
  if (options.centimetres && !host::isFigure(options.out)) {
    throw UserError(
        "--centimetres: a .png has its size in pixels (--size); give --out F.svg or F.pdf");
  }
  const bool still = options.view == "heads" || options.view == "train";
  if (options.moment && still) {
    throw UserError(fmt::format(
        "--moment: the page {} has no timeline; give --view stage, flow or step", options.view));
  }
  const TrainViewOptions& run = options.run;
  if (options.view != "train" && (!run.task.empty() || run.layers || run.steps)) {
    throw UserError("--task, --layers and --steps describe a training run: give --view train");
  }
}

/// The flags of a training run, with those that it shares with a pass.
TrainViewOptions withPassFlags(const RenderOptions& options) {
  TrainViewOptions run = options.run;
  run.dModel = options.pass.config.dModel;
  run.heads = options.pass.config.heads;
  run.seed = options.pass.seed;
  return run;
}

/// Returns the subject of a film of this view.
FilmOf filmOf(const ui::ViewState& view, const RenderOptions& options) {
  const std::string& page = view.selection.page;
  if (page == ui::kTrainPage && options.view == "train") return FilmOf::run;
  const bool plays = page == ui::kFlowPage || page == ui::kStagePage;
  if (plays || options.film.scenes) return FilmOf::play;
  throw UserError(
      "--film: nothing plays on this page; give --view stage, flow, step or train, or --session F "
      "--scenes");
}

void render(const RenderOptions& options, std::ostream& out) {
  const Size size = sizeFrom(options.size);
  checkFlags(options);
  const bool isFilm = !options.film.path.empty();
  PictureRequest picture{{}, size.width, size.height, isFilm ? options.film.path : options.out, {}};
  AppOptions& app = picture.program;
  app = optionsToOpen(options.pass, true);
  const auto scene = std::find_if(app.scenes.begin(), app.scenes.end(),
                                  [&](const auto& s) { return s.number == app.scene; });
  const DocumentPtr& shown = scene != app.scenes.end() ? scene->document : app.document;
  app.view = viewFrom(options, *shown, app.view);
  app.threads = options.pass.threads;
  if (scene == app.scenes.end()) {  // one picture for one command: without the time that it took
    auto trace = std::make_shared<Trace>(*computePass(options.pass, app.document));
    trace->ms = 0.0;
    app.trace = std::move(trace);
  }
  if (options.view == "train") trainFor(app, withPassFlags(options));
  if (isFilm) {
    picture.film = options.film.settings(filmOf(app.view, options));
    makeFilm(picture, options.shaderDir);
    out << options.film.path << '\n';
    return;
  }
  if (host::isFigure(options.out)) {
    host::writeFigure(picture, options.centimetres.value_or(host::kFigureCentimetres));
  } else {
    host::writePicture(picture, options.shaderDir);
  }
  out << options.out << '\n';
}

}  // namespace

Command addRender(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("render", "a picture or a film of the window, without a display");
  auto options = std::make_shared<RenderOptions>();
  sub->add_option("--out", options->out, "the picture")
      ->check(notEmpty)
      ->type_name("FILE.png|svg|pdf");
  sub->add_option("--view", options->view,
                  "stage, flow (default: the whole window), heads, train, or step (its matrices "
                  "alone)")
      ->check(CLI::IsMember({"stage", "flow", "heads", "train", "step"}));
  sub->add_option("--size", options->size, "in pixels (default 1600x1000)")->type_name("WxH");
  sub->add_option(
         "--moment", options->moment,
         "the picture, or a film's first, after this many seconds of playing, for the query --row")
      ->check(notNumber)
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  sub->add_option("--centimetres", options->centimetres,
                  "width of a .svg or .pdf on paper (default 16)")
      ->check(notNumber)
      ->check(CLI::Range(1.0, 200.0))
      ->type_name("CM");
  addFilmOptions(*sub, options->film);
  addTrainViewOptions(*sub, options->run);
  addLookOptions(*sub, options->look);
  sub->add_option("--shader-dir", options->shaderDir, "read the shaders from this folder")
      ->check(CLI::ExistingDirectory);
  addCellOptions(*sub, options->cell);
  addPassOptions(*sub, options->pass);
  return {sub, [options](std::ostream& out) { render(*options, out); }};
}

}  // namespace headscope::cli
