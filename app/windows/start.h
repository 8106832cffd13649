// Start: what both programs for Windows do before the command line runs. headscope.com is the one
// for consoles; headscope.exe, for the desktop, opens no console.
#pragma once

#include <ostream>

namespace headscope::windows {

/// Runs the command line on the arguments of this process, with the standard input. The standard
/// streams then carry bytes as they are: UTF-8, and lines without a carriage return, as other
/// programs expect of `serve --stdio`. Returns the exit status.
int start(std::ostream& out, std::ostream& err);

}  // namespace headscope::windows
