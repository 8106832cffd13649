#include "app/cli/film_options.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "app/cli/config_options.h"
#include "app/cli/progress.h"
#include "app/filmed_run.h"
#include "app/host/film.h"
#include "app/scheduler.h"
#include "app/ui/train/language_run_view.h"
#include "app/ui/train/train_page.h"
#include "core/base/error.h"
#include "core/base/execution.h"
#include "core/base/memory_budget.h"

namespace headscope::cli {
namespace {

// A film looks at the run's snapshots, which are taken where it is evaluated.
constexpr Index kFilmEvaluateEvery = 5;
constexpr Index kFilmSnapshotBytes = Index{512} << 20;

/// Takes all steps of a run. Returns its last moment, as it is on any machine.
template <typename Run>
auto trained(Run& run, std::optional<Index> steps) {
  if (steps) run.setSteps(*steps);
  run.setSpeed(0.0);
  run.play(true);
  Progress progress("training");
  do {
    run.follow(clockSeconds());
    run.finish();
    if (!run.problem().empty()) throw UserError(run.problem());
    if (const auto moment = run.moment()) {
      progress.at(moment->stepsTaken, moment->settings.steps, "steps");
    }
  } while (run.playing());
  auto last = *run.moment();
  if (last.stopped) throw UserError(last.stopped->words);
  last.forgetLater();
  return std::make_shared<const decltype(last)>(std::move(last));
}

}  // namespace

FilmSettings FilmOptions::settings(FilmOf of) const {
  FilmSettings film;
  film.of = scenes ? FilmOf::scenes : of;
  film.seconds = seconds.value_or(film.seconds);
  film.fps = static_cast<int>(fps.value_or(film.fps));
  film.speed = speed.value_or(film.speed);
  if (whole) film.speed = 0.0;
  if (speed && whole) {
    throw UserError("--speed and --whole contradict each other: give one of them");
  }
  if ((speed || whole) && film.of != FilmOf::play) {
    throw UserError(
        fmt::format("{}: a run and scenes fill the film's --seconds anyway; leave it out",
                    whole ? "--whole" : "--speed"));
  }
  return film;
}

void FilmOptions::refuseWithoutFilm() const {
  const std::pair<const char*, bool> flags[] = {{"--seconds", seconds.has_value()},
                                                {"--speed", speed.has_value()},
                                                {"--fps", fps.has_value()},
                                                {"--whole", whole},
                                                {"--scenes", scenes}};
  for (const auto& [flag, given] : flags) {
    if (given && path.empty()) {
      throw UserError(fmt::format("{} belongs to a film: give --film F.webp", flag));
    }
  }
}

void addFilmOptions(CLI::App& app, FilmOptions& options) {
  const char* group = "Film";
  app.add_option("--film", options.path, "a film of what plays, in place of a picture")
      ->check(notEmpty)
      ->type_name("FILE.webp|gif|mp4")
      ->group(group);
  app.add_option("--seconds", options.seconds, "how long it is (default 12)")
      ->check(notNumber)
      ->check(CLI::Range(kMinFilmSeconds, kMaxFilmSeconds))
      ->type_name("S")
      ->group(group);
  addWhole(app, "--fps", options.fps, "pictures a second (default 20)")
      ->check(CLI::Range(1, kMaxFilmFps))
      ->group(group);
  app.add_option("--speed", options.speed, "of playing (default 1)")
      ->check(notNumber)
      ->check(CLI::Range(kMinFilmSpeed, kMaxFilmSpeed))
      ->type_name("X")
      ->group(group);
  app.add_flag("--whole", options.whole, "plays to its end, as fast as --seconds ask for")
      ->group(group);
  app.add_flag("--scenes", options.scenes, "the scenes of --session, one after another")
      ->group(group);
}

void addTrainViewOptions(CLI::App& app, TrainViewOptions& options) {
  const char* group = "Training run (--view train; also --d-model, --heads, --seed)";
  app.add_option("--task", options.task, "the task that is learned (default cards), or stories")
      ->check(notEmpty)
      ->type_name("NAME")
      ->group(group);
  addWhole(app, "--layers", options.layers, "of the model")->group(group);
  addWhole(app, "--steps", options.steps, "of training (default the task's own)")->group(group);
}

void trainFor(AppOptions& program, const TrainViewOptions& options) {
  ui::TrainView& view = program.view.train;
  program.view.selection.page = ui::kTrainPage;
  if (options.task == ui::kOwnText) {
    throw UserError("--task text: its text is chosen in the window; give stories, or another task");
  }
  if (!options.task.empty()) {
    view.task = options.task == ui::kStories
                    ? options.task
                    : training::taskFromString(options.task, ", stories").id;
  }
  view.layers = options.layers.value_or(view.layers);
  view.dModel = options.dModel.value_or(view.dModel);
  view.heads = options.heads.value_or(view.heads);
  view.seed = options.seed.value_or(view.seed);

  Scheduler scheduler;
  auto filmed = std::make_shared<FilmedRun>();
  if (learnsLanguage(view)) {
    LiveLanguage language(scheduler, defaultMemoryBudget());
    language::LanguageSettings settings = ui::chosenLanguage(view);
    settings.evaluateEvery = kFilmEvaluateEvery;
    settings.snapshotBytes = kFilmSnapshotBytes;
    language.begin(ui::chosenText(view), settings);
    language.setSentence(view.sentence);
    program.language = trained(language, options.steps);
    filmed->language = language.run();
  } else {
    LiveTraining training(scheduler, defaultMemoryBudget());
    training.begin(ui::chosenTask(view), ui::chosenSettings(view));
    training.showExample(view.example);
    program.training = trained(training, options.steps);
    filmed->task = training.run();
  }
  program.filmed = std::move(filmed);
}

void makeFilm(const PictureRequest& request, const std::string& shaderDir) {
  Progress progress("film");
  host::writeFilm(request, shaderDir, [&](const FilmProgress& film) {
    progress.at(film.drawn, film.pictures, "pictures");
  });
}

}  // namespace headscope::cli
