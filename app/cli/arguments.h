// Arguments: the words of the command line on their way through CLI11, so that every flag gets its
// text as it was typed. CLI11 by itself takes "[a,b]" and "{}" for lists and drops an empty value
// ("--text=").
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace headscope::cli {

/// The arguments without the program's name, last one first, as CLI::App::parse takes them. Values
/// that CLI11 would take apart begin with a guard.
std::vector<std::string> guardedArguments(int argc, const char* const* argv);

/// Makes every option of `app` and of its commands remove the guard. Call it once all are added.
void removeGuards(CLI::App& app);

/// A message of CLI11's, which may cite a guarded argument, without guards.
std::string withoutGuards(std::string message);

}  // namespace headscope::cli
