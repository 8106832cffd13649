// Command line: runs the window, or the subcommand of the arguments.
#pragma once

#include <istream>
#include <ostream>

namespace headscope {

/// Returns the exit status: 0, 2 for the user's mistakes or 1 for internal errors. An error writes
/// one line with its remedy to `err`.
int runCli(int argc, const char* const* argv, std::istream& in, std::ostream& out,
           std::ostream& err);

}  // namespace headscope
