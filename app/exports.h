// Exports: what the program writes to files, aside from the interface's thread, and the dialog that
// asks what and where to.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/background.h"
#include "app/document_editor.h"
#include "app/live_model.h"
#include "app/live_training.h"
#include "app/ui/export_dialog.h"

namespace headscope {

class Exports {
 public:
  /// `tracePath`: where "Save trace" goes. The others must outlive it.
  Exports(DocumentEditor& documents, const LiveTraining& training, const LiveModel& model,
          std::filesystem::path tracePath)
      : documents_(documents),
        training_(training),
        model_(model),
        tracePath_(std::move(tracePath)) {}

  ui::ExportDialog& dialog() { return dialog_; }

  /// Written once the newest document's pass is there, so that it is what was asked for and the
  /// window never waits for it.
  void ask(ui::ExportRequest request) { asked_.push_back(std::move(request)); }
  /// Every tensor of the pass in `view`: of the model on the page Model, else of Flow's layer.
  void askForTrace(const ui::ViewState& view);
  bool waits() const { return !asked_.empty(); }
  /// The first that waits is of the model's pass.
  bool waitsForModel() const { return !asked_.empty() && asked_.front().ofModel; }
  bool busy() const { return task_.busy(); }
  /// With the newest pass there: writes what was asked for first; a picture, which is the host's to
  /// draw, is given back.
  std::optional<ui::ExportRequest> start();

  /// Writes it on another thread; `write` gives the sentence that says so.
  void write(std::function<std::string()> write);
  /// Says how the last one went, once.
  void takeOutcome();

  void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }
  void wait() { task_.wait(); }

 private:
  DocumentEditor& documents_;
  const LiveTraining& training_;
  const LiveModel& model_;
  std::filesystem::path tracePath_;
  ui::ExportDialog dialog_;
  std::deque<ui::ExportRequest> asked_;
  BackgroundTask<std::string> task_;
};

/// As a sentence names a file that was written.
std::string wholePath(const std::filesystem::path& path);

}  // namespace headscope
