// Export dialog: asks what is to be exported and where to: a tensor, the whole trace, a picture of
// the window or of a panel, or a PyTorch script.
#pragma once

#include <optional>
#include <string>

#include "app/ui/export_choice.h"
#include "app/ui/number_field.h"
#include "app/ui/panel.h"

namespace headscope::ui {

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

  /// What is to be exported, once. `tool` is the title of the tool that is open.
  std::optional<ExportRequest> draw(const Panel& panel, const char* tool);
  /// How the last export went.
  void finished(const std::string& answer, bool isError);

 private:
  ExportDialogMemory memory_;
};

}  // namespace headscope::ui
