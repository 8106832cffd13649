#include "app/cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/gl/error.h"
#include "core/base/assets.h"
#include "core/base/error.h"

namespace headscope {
namespace cli {
extern const char* const kCommit;  // written by every build: third_party/write_commit.cmake
}
namespace {

constexpr int kExitInternalError = 1;
constexpr int kExitUserError = 2;

int fail(std::ostream& err, std::string message, int status) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  err << "headscope: " << message << '\n';
  return status;
}

/// Throws UserError for flags before a subcommand: they belong to the window and would have no
/// effect.
void refuseMisplaced(const CLI::App& app, const CLI::App& command) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    const std::string flag = option->get_name();
    const std::string& name = command.get_name();
    if (command.get_option_no_throw(flag) == nullptr) {
      throw UserError(fmt::format("unknown flag {} for '{}': 'headscope {} --help' lists its flags",
                                  flag, name, name));
    }
    throw UserError(
        fmt::format("{} stands before '{}': write flags after their command", flag, name));
  }
}

void runChosen(const CLI::App& app, const std::vector<cli::Command>& commands,
               const cli::Command& window, std::ostream& out) {
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [](const cli::Command& c) { return c.app->parsed(); });
  if (chosen == commands.end()) {
    window.run(out);
  } else {
    refuseMisplaced(app, *chosen->app);
    chosen->run(out);
  }
}

/// Runs the command of the arguments, or prints the help or the version.
void perform(CLI::App& app, std::vector<std::string> arguments,
             const std::vector<cli::Command>& commands, const cli::Command& window,
             std::ostream& out) {
  try {
    app.parse(std::move(arguments));
    runChosen(app, commands, window, out);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
  } catch (const CLI::CallForVersion& version) {
    out << version.what() << '\n';
  }
  out.flush();
  if (!out) throw UserError("the standard output cannot be written: is its disk full?");
}

/// Extends --help of each command by assets/manual/COMMAND.txt: a detailed description and
/// examples.
void addManual(CLI::App& app) {
  app.footer(std::string(asset("manual/headscope.txt")));
  for (CLI::App* command : app.get_subcommands({})) {
    const std::string own = command->get_footer();  // a text that the program also prints elsewhere
    command->footer(std::string(asset(fmt::format("manual/{}.txt", command->get_name()))) +
                    (own.empty() ? "" : "\n" + own));
  }
}

std::string helpHint(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return fmt::format("'headscope {}--help' lists the possible arguments",
                     parsed.empty() ? "" : parsed.front()->get_name() + " ");
}

}  // namespace

namespace cli {

std::vector<Command> addModelCommands(CLI::App& app, Context& context) {
  return {addModel(app, context),    addSweep(app, context),  addCircuits(app, context),
          addTokenize(app, context), addDecode(app, context), addWhy(app, context)};
}

}  // namespace cli

int runCli(int argc, const char* const* argv, std::istream& in, std::ostream& out,
           std::ostream& err) {
  CLI::App app{
      "Shows every step, head and number of transformer multi-head attention.\nWithout a command "
      "it opens the window on the pass that the flags describe.",
      "headscope"};
  app.require_subcommand(0, 1);
  app.set_version_flag(
      "--version",
      fmt::format("headscope {}\ncommit {}, {}", HEADSCOPE_VERSION, cli::kCommit, HEADSCOPE_BUILD),
      "print version, commit and how it was built, and exit");
  cli::Context context{&in};
  std::vector<cli::Command> commands{
      cli::addInfo(app),    cli::addRun(app),    cli::addExplain(app),
      cli::addAnalyze(app), cli::addExport(app), cli::addRender(app),
      cli::addTrain(app),   cli::addLearn(app),  cli::addWorksheet(app)};
  std::ranges::move(cli::addModelCommands(app, context), std::back_inserter(commands));
  commands.push_back(cli::addServe(app, context));
  const cli::Command window = cli::addWindow(app);
  addManual(app);
  cli::keepTextsUnchanged(app);
  try {
    perform(app, cli::guardedArguments({argv + std::min(argc, 1), argv + argc}), commands, window,
            out);
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::string message = cli::withoutGuards(error.what());
    return fail(err, fmt::format("{}; {}", message, helpHint(app)), kExitUserError);
  } catch (const UserError& error) {
    return fail(err, error.what(), kExitUserError);
  } catch (const gl::Error& error) {
    return fail(err, error.what(), kExitInternalError);
  } catch (const std::exception& error) {
    return fail(err, sentenceFor(error), kExitInternalError);
  }
}

}  // namespace headscope
