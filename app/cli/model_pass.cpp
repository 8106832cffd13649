#include "app/cli/model_pass.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "app/cli/head_json.h"
#include "app/cli/model_text.h"
#include "app/cli/output.h"

namespace headscope::cli {
namespace {
using model::MeasuredPass;
using model::ModelConfig;
using model::ModelInput;
using model::ModelTrace;
using model::TokenProbability;

std::string tokenName(const ModelInput& input, std::size_t place) {
  return input.tokens.empty() ? std::to_string(input.ids[place]) : input.tokens[place];
}

void printLabels(std::ostream& out, const ModelPass& pass) {
  constexpr std::size_t kShown = 10;
  if (pass.match) return printMatch(out, *pass.match, pass.trace->config());
  if (!pass.trace->document().model->hasReadout()) {
    out << "this model has no classifier: there are no labels\n";
    return;
  }
  out << "the most probable labels\n";
  TextTable table({Align::left, Align::right});
  for (const TokenProbability& p : pass.trace->predictions(0, kShown)) {
    table.add({pass.nameOf(p.id), fmt::format("{:.3f}", p.probability)});
  }
  table.print(out);
}

void printPredictions(std::ostream& out, const ModelPass& pass) {
  const ModelTrace& trace = *pass.trace;
  constexpr std::size_t kShown = 5;
  if (!trace.document().model->hasReadout()) {
    out << "this model has no language-model head: there are no predictions\n";
    return;
  }
  out << (trace.config().causal ? "the next token and its probability\n"
                                : "the hidden token and its probability\n");
  TextTable table(std::vector<Align>(kShown + 2, Align::left));
  std::vector<std::string> titles{"place", "token", "most probable"};
  titles.resize(kShown + 2);
  table.add(std::move(titles));
  const auto predictions = trace.predictions(0, trace.tokens(), kShown);
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    std::vector<std::string> cells{std::to_string(row + 1), tokenName(trace.document().input, row)};
    for (const TokenProbability& p : predictions[row]) {
      const std::string name = pass.nameOf(p.id);
      cells.push_back(
          fmt::format("{} {:.3f}", name.empty() ? std::to_string(p.id) : name, p.probability));
    }
    cells.resize(kShown + 2);
    table.add(std::move(cells));
  }
  table.print(out);
}

void printHeads(std::ostream& out, const MeasuredPass& pass, std::string_view of) {
  out << fmt::format("the labels of all heads{} on these tokens\n", of);
  const ModelConfig& c = pass.trace->config();
  const bool two = c.crossAttention;
  std::vector<Align> columns{Align::left, Align::left, Align::left, Align::right, Align::left};
  std::vector<std::string> titles{"layer", "head", "does here", "n", "because"};
  if (two) {
    columns.insert(columns.begin() + 1, Align::left);
    titles.insert(titles.begin() + 1, "attention");
  }
  TextTable table(columns);
  table.add(std::move(titles));
  const auto perLayer = static_cast<std::size_t>(c.heads);
  for (std::size_t i = 0; i < pass.labels.size(); ++i) {
    const auto layer = static_cast<Index>(i / perLayer);
    std::vector<std::string> cells{std::to_string(c.depthOf(layer) + 1),
                                   std::to_string(i % perLayer + 1), pass.labels[i].title,
                                   std::to_string(pass.labels[i].rows), pass.labels[i].rule};
    if (two) cells.insert(cells.begin() + 1, c.readsMemory(layer) ? "cross" : "self");
    table.add(std::move(cells));
  }
  table.print(out);
}

void printProbe(std::ostream& out, const MeasuredPass& probe) {
  constexpr std::array kShown{Metric::previousToken, Metric::induction, Metric::duplicateToken,
                              Metric::firstToken};
  out << "\nthe labels of all heads on random tokens given twice\n";
  const ModelConfig& c = probe.trace->config();
  std::vector<Align> columns(kShown.size() + (c.crossAttention ? 5 : 4), Align::left);
  columns.back() = Align::right;
  TextTable table(columns);
  std::vector<std::string> titles{"layer", "head"};
  if (c.crossAttention) titles.insert(titles.begin() + 1, "attention");
  for (const Metric metric : kShown) titles.emplace_back(info(metric).title);
  titles.emplace_back("does there");
  titles.emplace_back("n");
  table.add(titles);
  const auto perLayer = static_cast<std::size_t>(c.heads);
  for (std::size_t i = 0; i < probe.metrics.size(); ++i) {
    const auto layer = static_cast<Index>(i / perLayer);
    std::vector<std::string> cells{std::to_string(c.depthOf(layer) + 1),
                                   std::to_string(i % perLayer + 1)};
    if (c.crossAttention) cells.insert(cells.begin() + 1, c.readsMemory(layer) ? "cross" : "self");
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

}  // namespace

void print(std::ostream& out, const ModelPass& pass) {
  const ModelTrace& trace = *pass.trace;
  out << modelInWords(*trace.document().model) << '\n';
  const auto tokens = [](Index count, const char* of) {
    return fmt::format("{} {}token{}", count, of, count == 1 ? "" : "s");
  };
  if (pass.encoder) {
    out << fmt::format("{}, {}, {:.1f} ms\n", tokens(pass.encoder->trace->tokens(), "source "),
                       tokens(trace.tokens(), "target "), pass.encoder->trace->ms + trace.ms);
  } else {
    out << fmt::format("{}, {:.1f} ms\n", tokens(trace.tokens(), ""), trace.ms);
  }
  if (!pass.steering.isNull()) {
    out << fmt::format("steered as layer {}{} is entered, by a direction of length {:.3f}\n",
                       pass.steering.find("layer")->whole().value() + 1,
                       pass.steering.find("stack") != nullptr ? " of the encoder" : "",
                       pass.steering.find("length")->number().value());
  }
  out << "layers, heads and positions count from 1 here, from 0 in flags and JSON\n\n";
  const bool ofImage = trace.config().image.on();
  ofImage ? printLabels(out, pass) : printPredictions(out, pass);
  if (pass.encoder && !pass.encoder->labels.empty()) {
    out << '\n';
    printHeads(out, *pass.encoder, " of the encoder");
  }
  if (!pass.labels.empty()) {
    out << '\n';
    printHeads(out, pass, pass.encoder ? " of the decoder" : "");
    if (ofImage) {
      out << '\n';
      printPatchMeasures(out, pass.metrics, static_cast<std::size_t>(trace.config().heads),
                         pass.onShape);
    }
  }
  if (pass.probe) printProbe(out, *pass.probe);
}

Json predictionsJson(const ModelPass& pass, Index count) {
  const ModelTrace& trace = *pass.trace;
  Json places = Json::emptyList();
  if (count == 0 || !trace.document().model->hasReadout()) return places;
  for (const auto& atPlace :
       trace.predictions(0, trace.logitRows(), static_cast<std::size_t>(count))) {
    Json best = Json::emptyList();
    for (const TokenProbability& p : atPlace) {
      Json one{{"id", p.id}, {"p", numberJson(p.probability)}};
      const bool label = !trace.config().labels.empty();
      if (label || pass.names != nullptr) one[label ? "label" : "token"] = pass.nameOf(p.id);
      best.push_back(std::move(one));
    }
    places.push_back(std::move(best));
  }
  return places;
}

void addHeads(Json& heads, const MeasuredPass& pass, bool encoder,
              const std::vector<double>& onShape) {
  const ModelConfig& c = pass.trace->config();
  const auto perLayer = static_cast<std::size_t>(c.heads);
  for (std::size_t i = 0; i < pass.metrics.size(); ++i) {
    Json head = Json::emptyObject();
    formats::addLayer(head, static_cast<Index>(i / perLayer), c);
    if (encoder) head["attention"] = "encoder";
    head["head"] = i % perLayer;
    addMetrics(head, pass.metrics[i], pass.trace->config().image.on());
    if (!onShape.empty()) head["on_shape"] = onShape[i];
    addLabel(head, pass.metrics[i], pass.labels[i], pass.trace->config().image.on());
    heads.push_back(std::move(head));
  }
}

Json expertsJson(const ModelTrace& trace) {
  Json layers = Json::emptyList();
  for (Index layer = 0; layer < trace.layers(); ++layer) {
    if (!trace.config().experts.at(layer)) {
      layers.push_back(nullptr);
      continue;
    }
    Json tokens = Json::emptyList();
    for (const auto& chosen : trace.experts(layer)) {
      Json experts = Json::emptyList();
      for (const auto& each : chosen) {
        experts.push_back({{"expert", each.expert}, {"weight", numberJson(each.weight)}});
      }
      tokens.push_back(std::move(experts));
    }
    layers.push_back(std::move(tokens));
  }
  return layers;
}

}  // namespace headscope::cli
