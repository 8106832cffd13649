// Process: this one among those that run.
#pragma once

namespace headscope::platform {

/// This process's number.
long processId();

/// Whether a process of that number runs; also where the system does not tell.
bool processRuns(long id);

/// Whether what goes to stderr is read on a terminal.
bool errorsGoToTerminal();

}  // namespace headscope::platform
