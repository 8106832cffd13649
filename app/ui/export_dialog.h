// Export dialog: asks for the subject and the place of an export. The subject is a tensor, the
// whole trace, a picture of the window or of a panel, a film, or a PyTorch script.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/film.h"
#include "app/live_model.h"
#include "app/ui/export_choice.h"
#include "app/ui/number_field.h"

namespace headscope::ui {

struct PanelContext;

/// The sources of an export on the screen, besides Flow's layer.
struct ExportSources {
  const char* tool;                            // the title of the tool that is open
  std::shared_ptr<const ModelMoment> model{};  // null: no model is open
  std::vector<FilmOf> films{};                 // what can be filmed
  std::vector<FilmKind> filmKinds{};           // … in which formats
  std::optional<FilmProgress> filmed{};        // the film that is made at present
  Index scenes = 0;                            // the session's
};

struct ExportDialogMemory {
  bool open = false;
  bool appearing = false;
  bool comboOpen = false;  // a combo was open in the last frame, and escape closes it
  bool sized = false;      // the picture's size was typed and no longer follows the window's
  ExportChoice choice;
  NumberDraft width, height, seed;
  std::string answer;  // the outcome of the last export
  bool answerIsError = false;
  bool writing = false;
  bool copies = false;  // the next frame copies the picture
  NumberDraft seconds;  // of a film

  /// Adapts the name to another choice, and forgets the last outcome.
  void changed();
};

class ExportDialog {
 public:
  /// Opens the dialog with this kind, or with the last one.
  void ask(ExportKind kind);
  /// Opens it, and copies a picture of the last choice onto the clipboard.
  void askForCopy();
  void ask() { ask(memory_.choice.kind); }
  bool isOpen() const { return memory_.open; }

  /// Draws the dialog. Returns the confirmed request, once.
  std::optional<ExportRequest> draw(const PanelContext& panel, const ExportSources& sources);
  /// Reports the outcome of the last export.
  void finished(const std::string& answer, bool isError);

 private:
  ExportDialogMemory memory_;
};

}  // namespace headscope::ui
