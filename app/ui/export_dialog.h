// Export dialog: asks what is to be exported and where to: a tensor, the whole trace, a picture of
// the window or of a panel, or a PyTorch script.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/live_model.h"
#include "app/ui/export_choice.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// What is on the screen beside the layer in Flow.
struct ExportSources {
  const char* tool;                            // the title of the tool that is open
  std::shared_ptr<const ModelMoment> model{};  // null: no model is open
};

struct ExportDialogMemory {
  bool open = false;
  bool appearing = false;
  bool comboOpen = false;  // in the last frame: escape is then for it
  bool sized = false;      // the picture's size was typed: it no longer follows the window's
  ExportChoice choice;
  NumberDraft width, height;
  std::string answer;  // how the last export went
  bool answerIsError = false;
  bool writing = false;
};

class ExportDialog {
 public:
  /// Opens it, on this kind or on that of the last time.
  void ask(ExportKind kind);
  void ask() { ask(memory_.choice.kind); }
  bool isOpen() const { return memory_.open; }

  /// What is to be exported, once.
  std::optional<ExportRequest> draw(const PanelContext& panel, const ExportSources& sources);
  /// How the last export went.
  void finished(const std::string& answer, bool isError);

 private:
  ExportDialogMemory memory_;
};

}  // namespace headscope::ui
