#include "app/cli/model_heads_table.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "app/cli/output.h"

namespace headscope::cli {

void printHeads(std::ostream& out, const model::MeasuredPass& pass) {
  out << "the labels of all heads on these tokens\n";
  TextTable table({Align::left, Align::left, Align::left, Align::right, Align::left});
  table.add({"layer", "head", "does here", "n", "because"});
  const auto perLayer = static_cast<std::size_t>(pass.trace->config().heads);
  for (std::size_t i = 0; i < pass.labels.size(); ++i) {
    table.add({std::to_string(i / perLayer + 1), std::to_string(i % perLayer + 1),
               pass.labels[i].title, std::to_string(pass.labels[i].rows), pass.labels[i].rule});
  }
  table.print(out);
}

void printProbe(std::ostream& out, const model::MeasuredPass& probe) {
  constexpr std::array kShown{Metric::previousToken, Metric::induction, Metric::duplicateToken,
                              Metric::firstToken};
  out << "\nthe labels of all heads on random tokens given twice\n";
  std::vector<Align> columns(kShown.size() + 4, Align::left);
  columns.back() = Align::right;
  TextTable table(columns);
  std::vector<std::string> titles{"layer", "head"};
  for (const Metric metric : kShown) titles.emplace_back(info(metric).title);
  titles.emplace_back("does there");
  titles.emplace_back("n");
  table.add(titles);
  const auto perLayer = static_cast<std::size_t>(probe.trace->config().heads);
  for (std::size_t i = 0; i < probe.metrics.size(); ++i) {
    std::vector<std::string> cells{std::to_string(i / perLayer + 1),
                                   std::to_string(i % perLayer + 1)};
    for (const Metric metric : kShown) {
      const MetricValue& measured = probe.metrics[i][metric];
      cells.push_back(measured ? fmt::format("{:.3f}", *measured) : std::string("–"));
    }
    cells.push_back(probe.labels[i].title);
    cells.push_back(std::to_string(probe.labels[i].rows));
    table.add(std::move(cells));
  }
  table.print(out);
}

}  // namespace headscope::cli
