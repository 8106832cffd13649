// Child processes in a browser's page, where no program is started.
#include "core/platform/child_process.h"

namespace headscope::platform {

std::filesystem::path findProgram(const std::string& /*name*/) { return {}; }

std::unique_ptr<ChildProcess> ChildProcess::start(const std::filesystem::path& /*program*/,
                                                  const std::vector<std::string>& /*arguments*/) {
  return nullptr;
}

}  // namespace headscope::platform
