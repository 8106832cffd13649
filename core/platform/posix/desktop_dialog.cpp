#include "core/platform/desktop_dialog.h"

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "core/platform/child_process.h"

namespace headscope::platform {
namespace {

namespace fs = std::filesystem;

/// The program that shows the dialog: KDE's own on KDE, else the first that is installed. Empty:
/// none is.
fs::path dialogProgram() {
  const char* desktop = std::getenv("XDG_CURRENT_DESKTOP");
  const bool kde = desktop != nullptr && std::string_view(desktop).find("KDE") != std::string::npos;
  for (const char* name : {kde ? "kdialog" : "zenity", kde ? "zenity" : "kdialog"}) {
    if (fs::path program = findProgram(name); !program.empty()) return program;
  }
  return {};
}

std::vector<std::string> argumentsFor(const fs::path& program, const DesktopDialog::Asked& asked) {
  // with a separator at its end, the path of a folder alone shows the folder's contents
  const std::string start = (asked.folder / asked.name).string();
  if (program.filename() == "kdialog") {
    return {"--title", asked.title, asked.saves ? "--getsavefilename" : "--getopenfilename", start};
  }
  std::vector<std::string> words{"--file-selection", "--title=" + asked.title,
                                 "--filename=" + start};
  if (asked.saves) words.emplace_back("--save");
  return words;
}

class ProgramDialog final : public DesktopDialog {
 public:
  explicit ProgramDialog(std::unique_ptr<ChildProcess> program) : program_(std::move(program)) {}

  bool ended() override { return program_->ended(); }
  fs::path chosen() override {
    if (!program_->finish()) return {};
    const std::string path = program_->output();
    return path.substr(0, path.find('\n'));
  }

 private:
  std::unique_ptr<ChildProcess> program_;
};

}  // namespace

bool DesktopDialog::available() { return !dialogProgram().empty(); }

std::unique_ptr<DesktopDialog> DesktopDialog::open(const Asked& asked) {
  const fs::path program = dialogProgram();
  auto child = ChildProcess::start(program, argumentsFor(program, asked));
  if (child == nullptr) return nullptr;
  return std::make_unique<ProgramDialog>(std::move(child));
}

}  // namespace headscope::platform
