// Process: this process and its relation to others.
#pragma once

namespace headscope::platform {

/// This process's number.
long processId();

/// Whether a process of that number runs; true where this is unknown.
bool processRuns(long id);

/// Whether stderr is a terminal.
bool errorsGoToTerminal();

}  // namespace headscope::platform
