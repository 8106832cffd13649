// Child processes, and the dialogs that they show, in a browser's page, where no program is
// started.
#include "core/platform/child_process.h"
#include "core/platform/desktop_dialog.h"

namespace headscope::platform {

std::filesystem::path findProgram(const std::string& /*name*/) { return {}; }

std::unique_ptr<ChildProcess> ChildProcess::start(const std::filesystem::path& /*program*/,
                                                  const std::vector<std::string>& /*arguments*/) {
  return nullptr;
}

bool DesktopDialog::available() { return false; }

std::unique_ptr<DesktopDialog> DesktopDialog::open(const Asked& /*asked*/) { return nullptr; }

}  // namespace headscope::platform
