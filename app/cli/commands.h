// Commands: every subcommand is one file, which adds its flags and implements it.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/context.h"

namespace CLI {
class App;
}
namespace headscope::formats {
struct AdaptedFolder;
}

namespace headscope::cli {

struct Command {
  CLI::App* app;                           // the parser of its flags
  std::function<void(std::ostream&)> run;  // after parsing; throws UserError
  std::function<Json()> json = {};         // likewise: what --json prints; empty: not for serve
};

Command addInfo(CLI::App& app);
Command addRun(CLI::App& app);
Command addCircuits(CLI::App& app, Context& context);
Command addExplain(CLI::App& app);
Command addAnalyze(CLI::App& app);
Command addDecode(CLI::App& app, Context& context);
Command addExport(CLI::App& app);
Command addLearn(CLI::App& app);
Command addModel(CLI::App& app, Context& context);
Command addRender(CLI::App& app);
Command addServe(CLI::App& app, Context& context);
Command addSweep(CLI::App& app, Context& context);
Command addTokenize(CLI::App& app, Context& context);
Command addTrain(CLI::App& app);
Command addWhy(CLI::App& app, Context& context);
Command addWorksheet(CLI::App& app);

/// The commands that serve has: those on models that print JSON. `context` must outlive them.
std::vector<Command> addModelCommands(CLI::App& app, Context& context);

/// Opens the window on the page of this model; without a display, draws a picture of it.
void openModelWindow(const formats::AdaptedFolder& folder, int threads, bool strict,
                     std::ostream& out);

/// Adds the bare command, which is `app` itself, not a subcommand.
Command addWindow(CLI::App& app);

}  // namespace headscope::cli
