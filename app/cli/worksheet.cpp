// The worksheet command: a page of multi-head attention to be computed by hand, and its answers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/host/worksheet_pdf.h"

namespace headscope::cli {
namespace {

struct WorksheetOptions {
  std::uint64_t seed = 1;
  std::string pdf;
};

}  // namespace

Command addWorksheet(CLI::App& app) {
  auto* sub = app.add_subcommand("worksheet", "a PDF page to compute by hand, and its answers");
  const auto options = std::make_shared<WorksheetOptions>();
  sub->add_option("--seed", options->seed, "other numbers for each seed (default 1)")
      ->check(notNumber)
      ->type_name("N");
  sub->add_option("--pdf", options->pdf, "the file to write")->type_name("FILE.pdf")->required();
  return {sub, [options](std::ostream& out) {
            FileFlags files;
            files.writes("--pdf", options->pdf, {".pdf"});
            files.check();
            host::writeWorksheet(options->pdf, options->seed);
            out << fmt::format("worksheet {}: {}\n", options->seed, options->pdf);
          }};
}

}  // namespace headscope::cli
