// The analyze command: every metric of each head, its label, and the similarity of the heads.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/head_json.h"
#include "app/cli/output.h"
#include "app/cli/pass_options.h"
#include "core/analysis/head_report.h"
#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/document/document.h"
#include "core/formats/csv_table.h"
#include "core/heads/designed_heads.h"
#include "core/training/relations.h"

namespace headscope::cli {
namespace {

constexpr Index kMatrixShown = 16;  // heads; a wider matrix does not fit a terminal

struct AnalyzeOptions {
  PassOptions pass;
  std::string item = "0";
  bool json = false;
  bool csv = false;
};

std::string notItem(const std::string& text) {
  return text == "mean" || notWhole(text).empty()
             ? ""
             : "'" + text + "' is not a batch item: give its number, from 0, or mean";
}

ItemChoice itemFrom(const std::string& text, const AttentionConfig& config) {
  if (text == "mean") return std::nullopt;
  Index item = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), item);
  if (code != std::errc() || end != text.data() + text.size() || item < 0 || item >= config.batch) {
    throw UserError(fmt::format("--item {}: the batch has items 0 to {}; mean averages over them",
                                text, config.batch - 1));
  }
  return item;
}

Json headJson(const HeadReport& report, std::size_t head) {
  Json json = {{"head", head}};
  addMetrics(json, report.metrics[head], report.patches);
  const auto& made = report.designedPurposes[head];
  json["made_for"] = made ? Json(made->name) : Json(nullptr);
  json["made_for_score"] = measuredJson(made ? made->score.value : std::nullopt);
  addLabel(json, report.metrics[head], report.labels[head], report.patches);
  return json;
}

std::optional<double> similarityAt(const HeadSimilarity& similarity, Index a, Index b) {
  if (!similarity.defined()) return std::nullopt;
  return similarity(a, b);
}

Json reportJson(const HeadReport& report) {
  Json heads = Json::emptyList();
  for (std::size_t h = 0; h < report.metrics.size(); ++h) heads.push_back(headJson(report, h));
  Json similarity = Json::emptyList();
  for (Index a = 0; a < report.similarity.heads; ++a) {
    Json row = Json::emptyList();
    for (Index b = 0; b < report.similarity.heads; ++b) {
      row.push_back(measuredJson(similarityAt(report.similarity, a, b)));
    }
    similarity.push_back(std::move(row));
  }
  Json json = {{"heads", std::move(heads)}, {"similarity", std::move(similarity)}};
  if (!report.similarity.defined()) json["undefined"] = {{"similarity", report.similarity.why}};
  return json;
}

/// Returns the fewest digits that reproduce the number; empty where it is undefined.
std::string csvNumber(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void printCsv(std::ostream& out, const HeadReport& report) {
  out << "head";
  const std::vector<MetricInfo> listed = listedMetrics(report.patches);
  for (const MetricInfo& m : listed) out << ',' << m.key;
  out << ",made_for,made_for_score,label,label_score,label_rows";
  const Index heads = report.similarity.heads;
  for (Index b = 0; b < heads; ++b) out << fmt::format(",similarity_{}", b);
  out << '\n';
  for (Index h = 0; h < heads; ++h) {
    const auto head = static_cast<std::size_t>(h);
    out << h;
    for (const MetricInfo& m : listed) {
      out << ',' << csvNumber(report.metrics[head][m.metric].value);
    }
    const auto& made = report.designedPurposes[head];
    out << ',' << (made ? formats::csvField(made->name) : "") << ','
        << csvNumber(made ? made->score.value : std::nullopt);
    const HeadLabel& label = report.labels[head];
    out << ',' << formats::csvField(label.key) << ',' << csvNumber(label.score) << ','
        << label.rows;
    for (Index b = 0; b < heads; ++b) {
      out << ',' << csvNumber(similarityAt(report.similarity, h, b));
    }
    out << '\n';
  }
}

void printMetrics(std::ostream& out, const HeadReport& report) {
  const std::vector<MetricInfo> listed = metricsFor(report.patches);
  std::vector<Align> columns(listed.size() + 3, Align::right);
  columns[columns.size() - 2] = Align::left;
  TextTable table(columns);
  std::vector<std::string> titles{"head"};
  for (const MetricInfo& m : listed) titles.emplace_back(m.column);
  titles.emplace_back("label");
  titles.emplace_back("n");
  table.add(titles);
  for (std::size_t h = 0; h < report.metrics.size(); ++h) {
    std::vector<std::string> cells{std::to_string(h + 1)};
    for (const MetricInfo& m : listed) {
      const MetricValue& measured = report.metrics[h][m.metric];
      cells.push_back(measured ? fmt::format("{:.3f}", *measured) : "–");
    }
    cells.push_back(report.labels[h].title);
    cells.push_back(withThousands(report.labels[h].rows));
    table.add(std::move(cells));
  }
  table.print(out);
}

/// Prints the undefined metrics and the reasons, which most often apply to all heads.
void printUndefined(std::ostream& out, const HeadReport& report) {
  for (const MetricInfo& m : metricsFor(report.patches)) {
    std::map<std::string, std::size_t> reasons;
    for (const HeadMetrics& head : report.metrics) {
      if (!head[m.metric]) ++reasons[head[m.metric].why];
    }
    for (const auto& [why, heads] : reasons) {
      out << fmt::format("{} is not defined{}: {}\n", m.key,
                         heads == report.metrics.size()
                             ? ""
                             : fmt::format(" for {} head{}", heads, heads == 1 ? "" : "s"),
                         why);
    }
  }
}

const char* purposeOf(DeclaredRelation::Origin origin) {
  switch (origin) {
    case DeclaredRelation::Origin::trained:
      return "trained for";
    case DeclaredRelation::Origin::learned:
      return "learned";
    case DeclaredRelation::Origin::designed:
      break;
  }
  return "made for";
}

void printLabels(std::ostream& out, const HeadReport& report) {
  const auto first = std::find_if(report.designedPurposes.begin(), report.designedPurposes.end(),
                                  [](const auto& each) { return each.has_value(); });
  const bool made = first != report.designedPurposes.end();
  std::vector<Align> columns{Align::left, Align::left, Align::right, Align::left};
  std::vector<std::string> titles{"", "does here", "n", "because"};
  if (made) {
    columns.insert(columns.begin() + 1, Align::left);
    titles.insert(titles.begin() + 1, purposeOf((*first)->origin));
  }
  TextTable table(columns);
  table.add(titles);
  for (std::size_t h = 0; h < report.labels.size(); ++h) {
    const HeadLabel& label = report.labels[h];
    std::vector<std::string> cells{fmt::format("Head {}", h + 1), label.title,
                                   withThousands(label.rows), label.rule};
    if (made) {
      const auto& own = report.designedPurposes[h];
      cells.insert(cells.begin() + 1, !own ? std::string("–")
                                      : own->score
                                          ? fmt::format("{} {:.2f}", own->name, *own->score)
                                          : fmt::format("{} ({})", own->name, own->score.why));
    }
    table.add(std::move(cells));
  }
  table.print(out);
}

void printSimilarity(std::ostream& out, const HeadSimilarity& similarity) {
  if (!similarity.defined()) {
    out << fmt::format("similarity is not defined: {}\n", similarity.why);
    return;
  }
  if (similarity.heads > kMatrixShown) {
    const HeadMerge most = clusterHeads(similarity).merges.front();
    out << fmt::format(
        "most alike: heads {} and {}, similarity {:.3f}; --json or --csv give all {} × {}\n",
        most.left + 1, most.right + 1, most.similarity, similarity.heads, similarity.heads);
    return;
  }
  out << "similarity (1 − mean Jensen–Shannon divergence of the rows)\n";
  TextTable table(std::vector<Align>(static_cast<std::size_t>(similarity.heads) + 1, Align::right));
  std::vector<std::string> titles{"head"};
  for (Index b = 0; b < similarity.heads; ++b) titles.push_back(std::to_string(b + 1));
  table.add(titles);
  for (Index a = 0; a < similarity.heads; ++a) {
    std::vector<std::string> cells{std::to_string(a + 1)};
    for (Index b = 0; b < similarity.heads; ++b) {
      cells.push_back(fmt::format("{:.3f}", similarity(a, b)));
    }
    table.add(std::move(cells));
  }
  table.print(out);
}

void printReport(std::ostream& out, const HeadReport& report) {
  printMetrics(out, report);
  printUndefined(out, report);
  out << '\n';
  printLabels(out, report);
  out << '\n';
  printSimilarity(out, report.similarity);
  out << "\nheads count from 1 here, from 0 in flags, JSON and CSV\n";
}

void runAnalyze(const AnalyzeOptions& options, std::ostream& out) {
  if (options.json && options.csv) {
    throw UserError("--json and --csv exclude each other: leave one of them out");
  }
  const DocumentPtr document = documentFrom(options.pass);
  const ItemChoice item = itemFrom(options.item, document->config);
  const TracePtr trace = computePass(options.pass, document);
  ExecutionContext execution;
  execution.threads = options.pass.threads;
  const DeclaredRelations relations = declaredRelations(*document);
  const HeadReport report = headReport(*trace, item, relations, execution).value();
  if (options.json) return printJson(out, withSchema("analyze", reportJson(report)));
  if (options.csv) return printCsv(out, report);
  printReport(out, report);
}

}  // namespace

Command addAnalyze(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("analyze", "metrics, labels and similarity of all heads");
  auto options = std::make_shared<AnalyzeOptions>();
  sub->add_option("--item", options->item, "batch item (default 0), or mean: averaged over all")
      ->check(notItem)
      ->type_name("N|mean");
  addPassOptions(*sub, options->pass);
  sub->footer(labelRule());
  CLI::Option* json = sub->add_flag("--json", options->json, "print JSON");
  sub->add_flag("--csv", options->csv, "print CSV, one row per head")->group(json->get_group());
  return {sub, [options](std::ostream& out) { runAnalyze(*options, out); }};
}

}  // namespace headscope::cli
