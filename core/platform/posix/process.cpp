#include "core/platform/process.h"

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>

namespace headscope::platform {

long processId() { return ::getpid(); }

bool processRuns(long id) { return ::kill(static_cast<pid_t>(id), 0) == 0 || errno != ESRCH; }

bool errorsGoToTerminal() { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace headscope::platform
