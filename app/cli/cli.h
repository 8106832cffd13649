// Command line: what the arguments ask for is done; the window, or a subcommand without one.
#pragma once

#include <ostream>

namespace headscope {

/// Exit status: 0, 2 for the user's mistakes and 1 for ours, with one line on `err` that says what
/// is wrong and the way out.
int runCli(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace headscope
