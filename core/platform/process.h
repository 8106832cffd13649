// Process: this process and its relation to others.
#pragma once

namespace headscope::platform {

/// This process's number.
long processId();

/// Returns whether a process of that number runs; true where this is unknown.
bool processRuns(long id);

/// Returns whether stderr is a terminal.
bool errorsGoToTerminal();

}  // namespace headscope::platform
