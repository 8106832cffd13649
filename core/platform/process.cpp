#include "core/platform/process.h"

#ifdef _WIN32
#include <io.h>
#include <process.h>

#include <cstdio>
#else
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace headscope::platform {

#ifdef _WIN32
long processId() { return ::_getpid(); }
bool processRuns(long) { return true; }
bool errorsGoToTerminal() { return ::_isatty(::_fileno(stderr)) != 0; }
#else
long processId() { return ::getpid(); }
bool processRuns(long id) { return ::kill(static_cast<pid_t>(id), 0) == 0 || errno != ESRCH; }
bool errorsGoToTerminal() { return ::isatty(STDERR_FILENO) == 1; }
#endif

}  // namespace headscope::platform
