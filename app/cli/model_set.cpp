#include "app/cli/model_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "app/cli/config_options.h"
#include "app/cli/model_text.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/formats/csv_table.h"
#include "core/model/heads_over_texts.h"

namespace headscope::cli {
namespace {

using model::HeadsOverTexts;
using model::MetricOverTexts;

std::string metricKeys() {
  std::vector<std::string_view> keys;
  for (const MetricInfo& each : metricsFor(false)) keys.push_back(each.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

/// The metric of --by; none where the flag is absent.
std::optional<Metric> metricBy(const SetOptions& options) {
  if (options.by.empty()) return std::nullopt;
  const auto metric = metricFromKey(options.by);
  if (metric) return metric;
  throw UserError(
      fmt::format("unknown measure --by {}; the measures are: {}", options.by, metricKeys()));
}

/// All heads in the order to print: by the mean of a metric, the largest first.
std::vector<std::size_t> orderOf(const HeadsOverTexts& heads, std::size_t count,
                                 std::optional<Metric> by) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!by) return order;
  const auto mean = [&](std::size_t head) {
    const auto over = heads.of(head, *by);
    return over ? over->mean : -1e300;
  };
  std::ranges::stable_sort(order, std::ranges::greater(), mean);
  return order;
}

/// The measures over a set, with the names of texts.
struct MeasuredSet {
  const std::vector<formats::TextOfSet>& texts;
  const HeadsOverTexts& heads;
  std::vector<HeadLabel> labels;
  std::vector<std::size_t> order;
  Index headsOfLayer = 1;

  Index layer(std::size_t head) const { return static_cast<Index>(head) / headsOfLayer; }
  Index head(std::size_t head) const { return static_cast<Index>(head) % headsOfLayer; }
};

void printSetJson(std::ostream& out, const MeasuredSet& set, const std::string& model) {
  Json heads = Json::emptyList();
  for (const std::size_t head : set.order) {
    Json measures = Json::emptyObject();
    for (const MetricInfo& each : metricsFor(false)) {
      const auto over = set.heads.of(head, each.metric);
      if (!over) continue;
      Json best = Json::emptyList();
      for (const auto& [text, value] : set.heads.best(head, each.metric)) {
        best.push_back({{"text", set.texts[text].name}, {"value", numberJson(value)}});
      }
      measures[each.key] = {{"mean", numberJson(over->mean)},
                            {"spread", numberJson(over->spread)},
                            {"texts", static_cast<Index>(over->texts)},
                            {"largest", numberJson(over->largest)},
                            {"strongest", set.texts[over->strongest].name},
                            {"best", std::move(best)}};
    }
    heads.push_back({{"layer", set.layer(head)},
                     {"head", set.head(head)},
                     {"label", set.labels[head].key},
                     {"label_texts", set.labels[head].rule},
                     {"measures", std::move(measures)}});
  }
  printJson(out, withSchema("measures", {{"model", model},
                                         {"texts", static_cast<Index>(set.texts.size())},
                                         {"heads", std::move(heads)}}));
}

void printSetCsv(std::ostream& out, const MeasuredSet& set) {
  out << "layer,head,measure,mean,spread,texts,largest,strongest\n";
  for (const std::size_t head : set.order) {
    for (const MetricInfo& each : metricsFor(false)) {
      const auto over = set.heads.of(head, each.metric);
      if (!over) continue;
      out << fmt::format("{},{},{},{},{},{},{},{}\n", set.layer(head), set.head(head), each.key,
                         over->mean, over->spread, over->texts, over->largest,
                         formats::csvField(set.texts[over->strongest].name));
    }
  }
}

void printSetTable(std::ostream& out, const MeasuredSet& set, std::optional<Metric> by) {
  out << fmt::format("{} texts; means of the heads' measures, layers and heads from 1\n\n",
                     withThousands(std::ssize(set.texts)));
  std::vector<Align> columns(metricsFor(false).size() + 3, Align::right);
  columns.back() = Align::left;
  TextTable table(columns);
  std::vector<std::string> titles{"layer", "head"};
  for (const MetricInfo& each : metricsFor(false)) titles.emplace_back(each.column);
  titles.emplace_back("most often");
  table.add(titles);
  for (const std::size_t head : set.order) {
    std::vector<std::string> cells{std::to_string(set.layer(head) + 1),
                                   std::to_string(set.head(head) + 1)};
    for (const MetricInfo& each : metricsFor(false)) {
      const auto over = set.heads.of(head, each.metric);
      cells.push_back(over ? fmt::format("{:.3f}", over->mean) : "–");
    }
    cells.push_back(fmt::format("{}, {}", set.labels[head].title, set.labels[head].rule));
    table.add(std::move(cells));
  }
  table.print(out);
  if (!by) return;
  const auto most = set.heads.of(set.order.front(), *by);
  if (!most) return;
  std::vector<std::string> best;
  for (const auto& [text, value] : set.heads.best(set.order.front(), *by)) {
    best.push_back(fmt::format("{} ({:.3f})", set.texts[text].name, value));
  }
  out << fmt::format("\nlargest {}: layer {}, head {}, {:.3f} ± {:.3f}; most in {}\n",
                     info(*by).key, set.layer(set.order.front()) + 1,
                     set.head(set.order.front()) + 1, most->mean, most->spread,
                     fmt::join(best, ", "));
}

}  // namespace

void addSetOptions(CLI::App& app, SetOptions& options, const Context& context) {
  options.in = context.in;
  app.add_option(
         "--set", options.texts,
         "measure the heads over many texts: a file with one on each line, .jsonl, - (the "
         "standard input), or template:NAME; means, spreads, and the texts with the largest "
         "values")
      ->check(notEmpty)
      ->type_name("FILE");
  app.add_option("--by", options.by, "with --set: sort the heads by this measure")
      ->check(notEmpty)
      ->type_name("MEASURE");
  app.add_flag("--csv", options.csv, "with --set: print CSV");
}

void checkSetOptions(const SetOptions& options) {
  metricBy(options);
  if (options.given() || (options.by.empty() && !options.csv)) return;
  throw UserError("--by and --csv are about many texts: give --set FILE or --set template:NAME");
}

void printMeasuresOfSet(const SetOptions& options, const TemplateOptions& templates,
                        OpenModels& models, const model::ModelPtr& model, const std::string& folder,
                        int threads, bool json, std::ostream& out) {
  const auto by = metricBy(options);
  if (model->encoder() != nullptr || model->config().image.on()) {
    throw UserError(fmt::format("--set: {} {}: it measures models that read one text", folder,
                                model->config().image.on() ? "reads images" : "has two stacks"));
  }
  const auto texts = textsOfSet(options.texts, templates, models, folder, options.in);
  std::vector<model::TextToMeasure> inputs;
  for (const formats::TextOfSet& text : texts) {
    ModelTextOptions flags;
    std::vector<Index> ids;
    setText(flags, ids, text.text);
    inputs.push_back({text.name, modelInput(models, folder, flags, ids, model->config())});
  }
  const auto document = makeModelDocument(model, inputs.front().input);
  model::TextsMeasure measure(document, std::move(inputs), ExecutionContext{threads});
  Progress progress("measuring");
  while (!measure.runUnit()) {
    progress.at(static_cast<Index>(measure.textsDone()), std::ssize(texts), "texts");
  }
  const HeadsOverTexts heads = measure.found().value();
  const model::MeasuredHeads means = heads.means();
  const MeasuredSet set{texts, heads, means.labels, orderOf(heads, means.metrics.size(), by),
                        model->config().heads};
  if (json) return printSetJson(out, set, model->name());
  if (options.csv) return printSetCsv(out, set);
  printSetTable(out, set, by);
}

}  // namespace headscope::cli
