// The worksheet command: a page of multi-head attention to be computed by hand, and its answers.
#include "core/presets/worksheet.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/pass_options.h"
#include "app/worksheet_pdf.h"
#include "core/document/document.h"

namespace headscope::cli {
namespace {

struct WorksheetOptions {
  PassOptions pass;
  std::string pdf;
};

/// Returns whether a flag tells what the worksheet is of: all do but those of its own.
bool describesPass(const CLI::App& command) {
  const auto options = command.get_options([](const CLI::Option* option) {
    const std::string name = option->get_name();
    return option->count() > 0 && name != "--seed" && name != "--pdf" && name != "--threads";
  });
  return !options.empty();
}

/// Takes the preset by-hand where only a mask, words or other details are given: the usual layer is
/// too large for a page.
PassOptions withSmallLayer(PassOptions pass) {
  const bool sized = !pass.config.preset.empty() || pass.config.dModel || !pass.weights.empty() ||
                     !pass.input.empty() || !pass.series.empty() || !pass.session.empty() ||
                     !pass.model.empty();
  if (!sized) pass.config.preset = "by-hand";
  return pass;
}

void runWorksheet(const WorksheetOptions& options, bool described, std::ostream& out) {
  FileFlags files;
  addFilesRead(files, options.pass);
  files.writes("--pdf", options.pdf, {".pdf"});
  files.check();
  const DocumentPtr like =
      described ? documentFrom(withSmallLayer(options.pass)) : byHandDocument();
  const std::uint64_t seed = options.pass.seed.value_or(1);
  writeWorksheet(options.pdf, seed, *like);
  out << fmt::format("worksheet {}: {}\n", seed, options.pdf);
}

}  // namespace

Command addWorksheet(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("worksheet", "a PDF page to compute by hand, and its answers");
  const auto options = std::make_shared<WorksheetOptions>();
  sub->add_option("--pdf", options->pdf, "the file to write")->type_name("FILE.pdf")->required();
  options->pass.seedOfCommand = true;
  addPassOptions(*sub, options->pass);
  return {sub,
          [sub, options](std::ostream& out) { runWorksheet(*options, describesPass(*sub), out); }};
}

}  // namespace headscope::cli
