// The run command: computes one pass, prints its steps with their times, and writes its tensors to
// a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/pass_input.h"
#include "app/cli/pass_options.h"
#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/document/trace_gradients.h"
#include "core/formats/document_json.h"
#include "core/formats/pass_files.h"
#include "core/heads/designed_heads.h"
#include "core/input/training_domain.h"
#include "core/training/relations.h"
#include "core/words/known_words.h"

namespace headscope::cli {
namespace {

constexpr std::size_t kRowsListed = 12;

struct RunOptions {
  PassOptions pass;
  std::string trace;
  std::string gradOutput;
  bool json = false;
};

Json runJson(const Trace& trace) {
  Json steps = Json::emptyList();
  for (const StepRun& run : trace.steps) {
    steps.push_back({{"id", step(run.step).text(trace.config()).id}, {"ms", run.ms}});
  }
  Json masked = Json::emptyList();
  for (const FullyMaskedRow& row : trace.fullyMaskedRows) {
    masked.push_back(std::array{row.item, row.head, row.row});
  }
  const Input& input = *trace.document().input;
  Json json = {{"config", formats::configJson(trace.document())},
               {"steps", std::move(steps)},
               {"ms", trace.ms},
               {"fully_masked_rows", std::move(masked)},
               {"tokens", input.tokens}};
  if (trace.config().crossAttention()) json["memory_tokens"] = input.memoryTokens;
  return json;
}

std::string inputInWords(const Document& document) {
  if (const auto* text = std::get_if<TextSource>(document.source.get())) {
    std::string words = fmt::format("\"{}\"", text->texts.front());
    if (text->texts.size() > 1) words += fmt::format(" and {} more", text->texts.size() - 1);
    if (text->memoryTexts.empty()) return words;
    return words + fmt::format(", attending to \"{}\"", text->memoryTexts.front());
  }
  if (const auto* series = std::get_if<SeriesSource>(document.source.get())) {
    std::string words = series->items.front()->name;
    if (series->items.size() > 1) words += fmt::format(" and {} more", series->items.size() - 1);
    return words;
  }
  return std::get<TensorSource>(*document.source).name;
}

std::string weightsInWords(const Document& document) {
  const WeightSource& source = document.weightSource;
  if (!source.drawn()) return source.loadedFrom;
  const std::string about = source.init == WeightInit::designed ? " (designed, not learned)"
                            : source.init == WeightInit::learned
                                ? fmt::format(" (from {})", inWords(trainingDomainOf(document)))
                                : "";
  return fmt::format("{}{}, seed {}", toString(source.init), about, source.seed);
}

void printSteps(std::ostream& out, const Trace& trace) {
  TextTable table({Align::left, Align::left, Align::left, Align::right});
  table.add({"step", "formula", "gives", "ms"});
  for (const StepRun& run : trace.steps) {
    const Step& s = step(run.step);
    const StepText text = s.text(trace.config());
    table.add({std::string(text.id), text.formula, shapesInWords(s.outputShapes(trace.config())),
               fmt::format("{:.3f}", run.ms)});
  }
  table.add({"total", "", "", fmt::format("{:.3f}", trace.ms)});
  table.print(out);
}

/// Prints the rows without an allowed key, which are equal for all heads.
void printFullyMaskedRows(std::ostream& out, const Trace& trace) {
  std::vector<std::string> rows;
  for (const FullyMaskedRow& row : trace.fullyMaskedRows) {
    if (row.head == 0) rows.push_back(fmt::format("item {} row {}", row.item, row.row));
  }
  if (rows.empty()) {
    out << "fully masked rows: none\n";
    return;
  }
  out << fmt::format("fully masked rows: {} in every head (weights 0, output b_O alone):",
                     rows.size());
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsListed); ++i) {
    out << (i == 0 ? " " : ", ") << rows[i];
  }
  if (rows.size() > kRowsListed) out << fmt::format(" and {} more", rows.size() - kRowsListed);
  out << '\n';
}

void printHeads(std::ostream& out, const Document& document) {
  const auto heads = designedHeads(document);
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const DesignedHead& head = heads[h];
    out << fmt::format("  head {}: {}", h + 1, head.title);
    if (head.drawn && head.instead.empty()) out << ": " << head.why;
    if (head.drawn && !head.instead.empty()) {
      out << fmt::format(" (in place of: {}): {}", head.instead, head.why);
    }
    if (!head.drawn && !head.why.empty()) out << "; " << head.why;
    out << '\n';
  }
  if (!heads.empty()) return;
  const DeclaredRelations relations = declaredRelations(document);
  for (std::size_t h = 0; h < relations.size(); ++h) {
    if (relations[h]) out << fmt::format("  head {}: trained for {}\n", h + 1, relations[h]->name);
  }
}

void printGradients(std::ostream& out, const Gradients& gradients) {
  TextTable table({Align::left, Align::left, Align::right});
  table.add({"gradient", "shape", "length"});
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (gradients.tensor(id).empty() && !isComputedOnDemand(id)) continue;
    const Tensor tensor = gradients.materialise(id);
    double squares = 0.0;
    for (const float value : tensor.values()) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    table.add({tensorName({.tensor = id, .gradient = true}), toString(tensor.shape()),
               fmt::format("{:.6g}", std::sqrt(squares))});
  }
  out << '\n';
  table.print(out);
}

void run(const RunOptions& options, std::ostream& out) {
  FileFlags files;
  addFilesRead(files, options.pass);
  files.reads("--grad-output", options.gradOutput);
  files.writes("--trace", options.trace, {kTraceEnding});
  files.check();
  const DocumentPtr document = documentFrom(options.pass);
  const TracePtr trace = computePass(options.pass, document);
  GradientsPtr gradients;
  if (!options.gradOutput.empty()) {
    gradients = computeGradients(options.pass, trace, options.gradOutput);
  }
  if (!options.trace.empty()) formats::saveTrace(options.trace, *trace, gradients.get());
  if (options.json) return printJson(out, withSchema("run", runJson(*trace)));
  printSummary(out, *trace, memoryNote(options.pass));
  if (gradients != nullptr) printGradients(out, *gradients);
  if (!options.trace.empty()) out << "trace: " << options.trace << '\n';
}

}  // namespace

void printSummary(std::ostream& out, const Trace& trace, const std::string& memoryNote) {
  const Document& document = trace.document();
  const Ledger cost = ledger(trace.config(), document.scoreStorage);
  if (!document.preset.empty()) out << document.preset << ": ";
  out << sizeInWords(trace.config()) << "; " << headWidthInWords(trace.config()) << '\n';
  out << "input: " << inputInWords(document) << '\n';
  out << "weights: " << weightsInWords(document) << '\n';
  printHeads(out, document);
  if (!memoryNote.empty()) out << "note: " << memoryNote << '\n';
  for (const auto& note : document.input->notes) out << "note: " << note << '\n';
  for (const auto& note : notesOnWords(document)) out << "note: " << note << '\n';
  out << '\n';
  printSteps(out, trace);
  out << '\n';
  out << fmt::format("{} parameters, {}\n", withThousands(cost.parameters.total),
                     flopsInWords(cost.flops));
  printFullyMaskedRows(out, trace);
}

Command addRun(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("run", "one pass: every step, timed, and as a file");
  auto options = std::make_shared<RunOptions>();
  addPassOptions(*sub, options->pass);
  sub->add_option("--trace", options->trace, "write every tensor of the pass to it")
      ->check(notEmpty)
      ->type_name("FILE.safetensors");
  sub->add_option("--grad-output", options->gradOutput,
                  "also run backward, from this file's tensor \"grad_output\" (the gradient of "
                  "each cell of the output); adds grad.NAME to --trace")
      ->check(notEmpty)
      ->type_name("FILE.safetensors");
  sub->add_flag("--json", options->json, "print JSON");
  return {sub, [options](std::ostream& out) { run(*options, out); }};
}

}  // namespace headscope::cli
