// Commands: every subcommand is one file, which adds its flags and implements it.
#pragma once

#include <functional>
#include <ostream>
#include <string>

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
};

Command addInfo(CLI::App& app);
Command addRun(CLI::App& app);
Command addCircuits(CLI::App& app);
Command addExplain(CLI::App& app);
Command addAnalyze(CLI::App& app);
Command addExport(CLI::App& app);
Command addLearn(CLI::App& app);
Command addModel(CLI::App& app);
Command addRender(CLI::App& app);
Command addSweep(CLI::App& app);
Command addTokenize(CLI::App& app);
Command addTrain(CLI::App& app);
Command addWhy(CLI::App& app);

/// Opens the window on the page of this model; without a display, draws a picture of it.
void openModelWindow(const formats::AdaptedFolder& folder, int threads, bool strict,
                     std::ostream& out);

/// Adds the bare command, which is `app` itself, not a subcommand.
Command addWindow(CLI::App& app);

}  // namespace headscope::cli
