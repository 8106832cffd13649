// Exports: the files that the program writes on another thread, and the dialog for them.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/background_task.h"
#include "app/document_editor.h"
#include "app/film.h"
#include "app/live_language.h"
#include "app/live_model.h"
#include "app/live_shapes.h"
#include "app/live_training.h"
#include "app/ui/export_dialog.h"

namespace headscope {

class Exports {
 public:
  /// `tracePath`: the file of "Save trace". The other arguments must outlive this object.
  Exports(Scheduler& scheduler, DocumentEditor& documents, const LiveTraining& training,
          const LiveLanguage& language, const LiveShapes& shapes, const LiveModel& model,
          std::filesystem::path tracePath)
      : documents_(documents),
        training_(training),
        language_(language),
        shapes_(shapes),
        model_(model),
        tracePath_(std::move(tracePath)),
        task_(scheduler) {}

  ui::ExportDialog& dialog() { return dialog_; }

  /// Queues an export. It starts once the newest document's pass is computed, without blocking the
  /// window.
  void ask(ui::ExportRequest request) { asked_.push_back(std::move(request)); }
  /// Queues an export of all tensors: of the model's pass on the page Model, else of Flow's layer.
  void askForTrace(const ui::Selection& selection);
  bool waits() const { return !asked_.empty(); }
  /// Returns whether the first queued export is of the model's pass.
  bool waitsForModel() const { return !asked_.empty() && asked_.front().ofModel; }
  bool busy() const { return task_.busy() || film_.has_value(); }
  /// Starts the first queued export; requires the newest pass. Returns a request for a picture,
  /// which the host draws.
  std::optional<ui::ExportRequest> start();

  /// The film that the host makes at present, if any.
  const std::optional<FilmProgress>& film() const { return film_; }
  /// Stops it with its next picture.
  void stopFilm() { filmStops_ = film_.has_value(); }
  /// Keeps how far the film is, for the status bar. Returns false where the user has stopped it.
  bool reportFilmProgress(const FilmProgress& progress);
  void filmStopped();

  /// Runs `write` on another thread; it returns the sentence that reports success.
  void write(std::function<std::string()> write);
  /// Reports the outcome of the last export, once.
  void takeOutcome();

  void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }
  void finish() { task_.wait(); }
  void stop() {}  // a file that is being written is finished

 private:
  DocumentEditor& documents_;
  const LiveTraining& training_;
  const LiveLanguage& language_;
  const LiveShapes& shapes_;
  const LiveModel& model_;
  std::filesystem::path tracePath_;
  ui::ExportDialog dialog_;
  std::deque<ui::ExportRequest> asked_;
  std::optional<FilmProgress> film_;
  bool filmStops_ = false;
  BackgroundTask<std::string> task_;
};

/// The absolute path, for a sentence about a written file.
std::string wholePath(const std::filesystem::path& path);

}  // namespace headscope
