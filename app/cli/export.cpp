// The export command: writes a tensor of the pass to a file, or the whole pass as a PyTorch script
// that checks it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/pass_options.h"
#include "core/document/document.h"
#include "core/formats/export_tensor.h"
#include "core/formats/pytorch_script.h"

namespace headscope::cli {
namespace {

using formats::TensorFormat;

struct ExportOptions {
  PassOptions pass;
  std::string tensor;  // empty where not given, like the other strings
  std::string format;
  std::string out;
  std::string pytorch;
};

std::string formatNames() {
  std::vector<std::string_view> names;
  names.reserve(formats::kTensorFormats.size());
  for (const TensorFormat format : formats::kTensorFormats) names.push_back(toString(format));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The format of --format, or else of the ending of --out.
TensorFormat formatFrom(const ExportOptions& options) {
  const std::optional<TensorFormat> ending = formats::tensorFormatOf(options.out);
  if (options.format.empty()) {
    if (ending) return *ending;
    throw UserError(
        fmt::format("--out {}: its extension is not a known format; add --format, one of: {}",
                    options.out, formatNames()));
  }
  const std::optional<TensorFormat> asked = formats::tensorFormatFromName(options.format);
  if (!asked) {
    throw UserError(fmt::format("unknown format --format {}; the formats are: {}", options.format,
                                formatNames()));
  }
  if (ending && *ending != *asked) {
    throw UserError(
        fmt::format("--format {} and the extension of --out {} disagree; leave --format out, or "
                    "name the file .{}",
                    options.format, options.out, options.format));
  }
  return *asked;
}

void requireComplete(const ExportOptions& options) {
  if (options.tensor.empty() && options.pytorch.empty() && options.out.empty() &&
      options.format.empty()) {
    throw UserError("nothing to export: give --tensor NAME --out FILE, --pytorch DIR, or both");
  }
  if (options.tensor.empty() && !(options.out.empty() && options.format.empty())) {
    throw UserError(fmt::format("{} needs one tensor; give --tensor NAME",
                                options.out.empty() ? "--format" : "--out"));
  }
  if (!options.tensor.empty() && options.out.empty()) {
    throw UserError(fmt::format("--tensor {} needs --out FILE, ending in one of: {}",
                                options.tensor, formatNames()));
  }
}

void runExport(const ExportOptions& options, std::ostream& out) {
  requireComplete(options);
  FileFlags files;
  addFilesRead(files, options.pass);
  files.writes("--out", options.out, {});
  files.check();
  const bool one = !options.tensor.empty();
  const TensorFormat format = one ? formatFrom(options) : TensorFormat::safetensors;
  const DocumentPtr document = documentFrom(options.pass);
  const TensorId id =
      one ? formats::requireTensor(options.tensor, document->config) : TensorId::output;
  const TracePtr trace = computePass(options.pass, document);
  if (one) {
    formats::exportTensor(options.out, *trace, id, format);
    out << fmt::format("{} {}: {}\n", options.tensor, toString(shapeOf(id, trace->config())),
                       options.out);
  }
  if (!options.pytorch.empty()) {
    formats::exportPyTorch(options.pytorch, *trace);
    const auto script = std::filesystem::path(options.pytorch) / formats::kScriptName;
    out << fmt::format("PyTorch script: {}; run it with python3\n", script.string());
  }
}

}  // namespace

Command addExport(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("export", "a tensor as a file, or a PyTorch script");
  auto options = std::make_shared<ExportOptions>();
  const char* group = "Export (a tensor, a script, or both)";
  const auto add = [&](const char* flag, std::string& value, const char* about, const char* type) {
    sub->add_option(flag, value, about)->check(notEmpty)->type_name(type)->group(group);
  };
  add("--tensor", options->tensor, "raw_scores, W_Q …: as in `info` and `run`", "NAME");
  add("--out", options->out, "the tensor's file", "FILE");
  add("--format", options->format, "safetensors, npy or csv; default: by the file's extension",
      "NAME");
  add("--pytorch", options->pytorch,
      "write a script that checks the pass in PyTorch, and its tensors", "DIR");
  addPassOptions(*sub, options->pass);
  return {sub, [options](std::ostream& out) { runExport(*options, out); }};
}

}  // namespace headscope::cli
