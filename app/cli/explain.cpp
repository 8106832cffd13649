// The explain command: the arithmetic of one cell, with operands, terms and sum as the engine
// computed them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/cli/cell_options.h"
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/pass_options.h"
#include "core/attention/steps/step.h"
#include "core/document/document.h"
#include "core/document/trace_gradients.h"

namespace headscope::cli {
namespace {

constexpr std::size_t kTermsShown = 12;

struct ExplainOptions {
  PassOptions pass;
  CellOptions cell;
  std::string gradOutput;
  bool json = false;
};

Json explanationJson(const Explanation& e) {
  Json terms = Json::emptyList();
  for (const Term& term : e.terms) {
    terms.push_back({{"left", term.wholeLeft()},
                     {"left_value", numberJson(term.leftValue)},
                     {"right", term.right},
                     {"right_value", numberJson(term.rightValue)},
                     {"product", numberJson(term.product)}});
  }
  return {{"tensor", tensorName(e.cell)}, {"index", e.cell.index()},
          {"value", numberJson(e.value)}, {"rule", e.rule},
          {"terms", std::move(terms)},    {"sum", numberJson(e.sum)}};
}

/// Formats a number with a minus sign, and as "−∞" where a mask forbids the cell.
std::string valueInWords(double value) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  return fmt::format("{:.6g}", value);
}

/// "query 2 'sat', key 1 'cat'"; rows and columns where the axes are not tokens.
std::string placeInWords(const Trace& trace, const CellRef& cell) {
  const Input& input = *trace.document().input;
  // items share the bias of a pair: the first has its words
  const auto item = static_cast<std::size_t>(std::max<Index>(cell.item, 0));
  const auto place = [&](Axis axis, Index position, const char* plain) {
    if (axis != Axis::query && axis != Axis::key) return fmt::format("{} {}", plain, position);
    const bool query = axis == Axis::query;
    const auto& tokens = query ? input.tokens[item] : input.keyTokens()[item];
    const std::string& token = tokens[static_cast<std::size_t>(position)];
    return fmt::format("{} {} '{}'", query ? "query" : "key", position,
                       token.empty() ? "padding" : token);
  };
  const TensorInfo& tensor = info(cell.tensor);
  return place(tensor.rows, cell.row, "row") + ", " + place(tensor.cols, cell.col, "column");
}

/// Returns the terms by magnitude, the largest first.
std::vector<const Term*> largestFirst(const std::vector<Term>& terms) {
  std::vector<const Term*> sorted;
  for (const Term& term : terms) sorted.push_back(&term);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Term* a, const Term* b) {
    return std::abs(a->product) > std::abs(b->product);
  });
  return sorted;
}

std::vector<std::string> cellsOf(const Term& term, bool softmax) {
  if (softmax) {
    return {
        fmt::format("exp({} − {})", term.wholeLeft(), term.right),
        fmt::format("exp({} − {})", valueInWords(term.leftValue), valueInWords(term.rightValue)),
        valueInWords(term.product)};
  }
  return {fmt::format("{} · {}", term.wholeLeft(), term.right),
          fmt::format("{} · {}", valueInWords(term.leftValue), valueInWords(term.rightValue)),
          valueInWords(term.product)};
}

void printTerms(std::ostream& out, const Explanation& e, bool softmax) {
  TextTable table({Align::left, Align::left, Align::left, Align::right});
  const auto sorted = largestFirst(e.terms);
  const std::size_t shown = std::min(sorted.size(), kTermsShown);
  double rest = e.sum;
  for (std::size_t i = 0; i < shown; ++i) {
    auto cells = cellsOf(*sorted[i], softmax);
    cells.insert(cells.begin(), " ");
    table.add(std::move(cells));
    rest -= sorted[i]->product;
  }
  if (sorted.size() > shown) {
    table.add(
        {" ", fmt::format("and {} more terms", sorted.size() - shown), "", valueInWords(rest)});
  }
  if (sorted.size() > 1) {
    table.add({" ", fmt::format("sum of {} terms", sorted.size()), "", valueInWords(e.sum)});
  }
  table.print(out);
}

/// Prints the step from the sum to the value: the quotient of a weight and its dropout factor, the
/// difference in the gradient of a masked score, or a function of the sum.
void printQuotient(std::ostream& out, const Explanation& e) {
  if (e.ending == ExplanationForm::difference) {
    const std::string incoming =
        e.factor == 1.0 ? valueInWords(e.incoming)
                        : fmt::format("{} · {}", valueInWords(e.factor), valueInWords(e.incoming));
    out << fmt::format("\n{} · ({} − {}) = {}\n", valueInWords(e.share), incoming,
                       valueInWords(e.sum), valueInWords(e.computed()));
    return;
  }
  if (e.ending == ExplanationForm::function) {
    out << fmt::format("\n{}{}{} = {}\n", e.before, valueInWords(e.sum), e.after,
                       valueInWords(e.computed()));
    return;
  }
  const Term* own = e.own();
  if (own == nullptr) return;
  const std::string dropout = e.factor == 1.0 ? "" : fmt::format(" × {}", valueInWords(e.factor));
  out << fmt::format("\nmaximum {}\n{} / {}{} = {}\n", valueInWords(own->rightValue),
                     valueInWords(own->product), valueInWords(e.sum), dropout,
                     valueInWords(e.computed()));
}

void printExplanation(std::ostream& out, const Trace& trace, const Explanation& e) {
  const bool softmax = e.ending == ExplanationForm::share;
  out << fmt::format("{} = {}   ({})\n", toString(e.cell), valueInWords(e.value),
                     placeInWords(trace, e.cell))
      << e.rule << '\n';
  if (e.terms.empty()) return;
  out << '\n';
  printTerms(out, e, softmax);
  printQuotient(out, e);
  if (e.pinned) {
    out << fmt::format("\npinned at {}, computed {}\n", valueInWords(e.value),
                       valueInWords(e.computed()));
  }
}

void runExplain(const ExplainOptions& options, std::ostream& out) {
  checkHeadLayer(options.cell, options.pass.layer);
  const DocumentPtr document = documentFrom(options.pass);
  const CellRef cell = cellFrom(options.cell, document->config);
  const TracePtr trace = computePass(options.pass, document);
  if (options.cell.gradient) {
    const GradientsPtr gradients = computeGradients(options.pass, trace, options.gradOutput);
    const Explanation explanation = explainGradientCell(*gradients, cell);
    if (options.json) return printJson(out, withSchema("explain", explanationJson(explanation)));
    return printExplanation(out, *trace, explanation);
  }
  const Explanation explanation = explainCell(*trace, cell);
  if (options.json) return printJson(out, withSchema("explain", explanationJson(explanation)));
  printExplanation(out, *trace, explanation);
}

}  // namespace

Command addExplain(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("explain", "the arithmetic of one cell");
  auto options = std::make_shared<ExplainOptions>();
  addCellOptions(*sub, options->cell);
  const std::string group = sub->get_option("--step")->get_group();
  sub->add_option("--tensor", options->cell.tensor,
                  "q (default), k or v, for project and split; with --grad any tensor: W_Q, x, ...")
      ->check(notEmpty)
      ->group(group);
  sub->add_flag("--grad", options->cell.gradient,
                "the gradient of that cell: of the output's sum, or what --grad-output gives")
      ->group(group);
  sub->add_option("--grad-output", options->gradOutput,
                  "tensor \"grad_output\": the gradient of each cell of the output")
      ->check(notEmpty)
      ->type_name("FILE.safetensors")
      ->needs("--grad")
      ->group(group);
  addPassOptions(*sub, options->pass);
  sub->add_flag("--json", options->json, "print JSON");
  return {sub, [options](std::ostream& out) { runExplain(*options, out); }};
}

}  // namespace headscope::cli
