// Arguments: passes the command line through CLI11 so that every flag gets its text unchanged.
// CLI11 by itself reads "[a,b]" and "{}" as lists and drops an empty value ("--text="); on Windows
// it reads "/folder" as a flag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace headscope::cli {

/// Returns the arguments, given without the program's name, in the order that CLI::App::parse
/// expects: the last one first. A guard precedes values that CLI11 would split.
std::vector<std::string> guardedArguments(const std::vector<std::string>& arguments);

/// Makes every option of `app` and of its commands remove the guard, and "/folder" a path on every
/// system. Call it once all are added.
void keepTextsUnchanged(CLI::App& app);

/// Removes the guards from a message of CLI11 that may quote an argument.
std::string withoutGuards(std::string message);

}  // namespace headscope::cli
