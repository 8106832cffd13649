// The info command: shapes, parameters and cost of a configuration, step by step, without a
// computation.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/output.h"
#include "app/cli/pass_options.h"
#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/formats/document_json.h"
#include "core/presets/presets.h"

namespace headscope::cli {
namespace {

constexpr Index kCommonHeadWidth = 64;

struct InfoOptions {
  ConfigOptions config;
  GivenSwitches switches;
  std::string pairBias;  // "random", a file, or empty
  bool presets = false;
  bool json = false;
};

Json parametersJson(const AttentionConfig& config, const Ledger::Parameters& p) {
  Json json = Json::emptyObject();
  for (std::size_t i = 0; i < p.each.size(); ++i) {
    if (has(config, kWeightTensors[i].id)) json[info(kWeightTensors[i].id).name] = p.each[i];
  }
  json["total"] = p.total;
  return json;
}

Json infoJson(const AttentionConfig& config, const Ledger& cost) {
  Json steps = Json::emptyList();
  for (const auto& row : cost.steps) {
    const StepText text = row.step->text(config);
    steps.push_back({{"id", text.id},
                     {"formula", text.formula},
                     {"inputs", shapesJson(row.step->inputShapes(config))},
                     {"outputs", shapesJson(row.step->outputShapes(config))},
                     {"flops", row.cost.flops},
                     {"bytes", row.cost.bytes}});
  }
  return {{"config", formats::configJson(config)},
          {"parameters", parametersJson(config, cost.parameters)},
          {"steps", std::move(steps)},
          {"flops", cost.flops},
          {"bytes", cost.bytes},
          {"kv_cache_bytes", cost.kvCacheBytes}};
}

void printSteps(std::ostream& out, const AttentionConfig& config, const Ledger& cost) {
  TextTable table({Align::left, Align::left, Align::left, Align::right, Align::right});
  table.add({"step", "formula", "gives", "FLOPs", "bytes"});
  for (const auto& row : cost.steps) {
    const StepText text = row.step->text(config);
    table.add({std::string(text.id), text.formula, shapesInWords(row.step->outputShapes(config)),
               row.cost.flops == 0 ? "0" : flopsInWords(row.cost.flops),
               row.cost.bytes == 0 ? "a view" : bytesInWords(row.cost.bytes)});
  }
  table.add({"total", "", "", flopsInWords(cost.flops), bytesInWords(cost.bytes)});
  table.print(out);
}

void printParameters(std::ostream& out, const AttentionConfig& config, const Ledger& cost) {
  TextTable table({Align::left, Align::left, Align::right});
  table.add({"parameter", "shape", "values"});
  const auto& p = cost.parameters;
  for (std::size_t i = 0; i < p.each.size(); ++i) {
    if (p.each[i] == 0) continue;
    const TensorId id = kWeightTensors[i].id;
    table.add(
        {std::string(info(id).name), toString(shapeOf(id, config)), withThousands(p.each[i])});
  }
  table.add({"total", "", withThousands(p.total)});
  table.print(out);
}

std::string heldInWords(const AttentionConfig& config, const Ledger& cost) {
  const Index budget = defaultMemoryBudget();
  try {
    if (scoresToHold(config, budget) == ScoreStorage::all) {
      return fmt::format("holds {} in memory", bytesInWords(cost.residentBytes));
    }
  } catch (const UserError&) {
    return fmt::format("holds {} in memory, more than the budget of {}: 'run' refuses it",
                       bytesInWords(ledger(config, ScoreStorage::none).residentBytes),
                       bytesInWords(budget));
  }
  return fmt::format(
      "holds {} in memory: scores and weights of all heads would need {} in total, more than the "
      "budget of {}, so rows of them are computed when they are needed",
      bytesInWords(ledger(config, ScoreStorage::none).residentBytes),
      bytesInWords(cost.residentBytes + cost.resultBytes), bytesInWords(budget));
}

void printInfo(std::ostream& out, const std::string& name, const AttentionConfig& config,
               const Ledger& cost) {
  out << (name.empty() ? "" : name + ": ") << sizeInWords(config) << '\n'
      << headWidthInWords(config) << "\n\n";
  printSteps(out, config, cost);
  out << '\n';
  printParameters(out, config, cost);
  out << '\n'
      << fmt::format("key/value cache {}; a pass {}\n", bytesInWords(cost.kvCacheBytes),
                     heldInWords(config, cost));
}

void printPresets(std::ostream& out) {
  TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right,
                   Align::right, Align::right, Align::left});
  table.add({"preset", "d_model", "heads", "d_k", "tokens", "batch", "parameters", "about"});
  std::size_t common = 0;
  for (const Preset& preset : presets()) {
    const AttentionConfig& c = preset.config;
    if (c.dK() == kCommonHeadWidth) ++common;
    table.add({preset.name, withThousands(c.dModel), std::to_string(c.numHeads),
               std::to_string(c.dK()), withThousands(c.seqLen), std::to_string(c.batch),
               withThousands(ledger(c).parameters.total), preset.about});
  }
  table.print(out);
  out << fmt::format("\nd_k is {} in {} of {}: larger models have more heads, not wider ones\n",
                     kCommonHeadWidth, common, presets().size());
}

Json presetsJson() {
  Json list = Json::emptyList();
  for (const Preset& preset : presets()) {
    list.push_back({{"name", preset.name},
                    {"title", preset.title},
                    {"about", preset.about},
                    {"config", formats::configJson(preset.config)},
                    {"causal", preset.config.mask.causal}});
  }
  return {{"presets", std::move(list)}};
}

/// Throws UserError where a bias of pairs would be larger than those that are drawn.
void checkPairs(const AttentionConfig& c) {
  if (PairBias::drawn(1, 1, 1, 1).fittedTo(c.numHeads, c.seqLen, c.keys()).on()) return;
  throw UserError(
      fmt::format("--pair-bias: {} heads with {} × {} pairs are too many numbers: give "
                  "fewer heads or tokens",
                  c.numHeads, withThousands(c.seqLen), withThousands(c.keys())));
}

/// The configuration of the flags. A preset's bias of pairs is left out where the sizes are others.
AttentionConfig configOf(const InfoOptions& options) {
  AttentionConfig config = configFrom(options.config);
  setSwitches(config, options.switches);
  if (!config.pairBias.fits(config.numHeads, config.seqLen, config.keys())) config.pairBias = {};
  requireValid(config);
  if (options.pairBias.empty()) return config;
  checkPairs(config);
  config.pairBias = pairBiasFrom(options.pairBias, config, 1);
  requireValid(config);
  return config;
}

void runInfo(const InfoOptions& options, std::ostream& out) {
  if (options.presets) {
    if (!options.config.preset.empty() || options.config.dimensionsGiven() ||
        !options.switches.empty() || !options.pairBias.empty()) {
      throw UserError("--presets lists all presets: leave out the other flags except --json");
    }
    if (options.json) return printJson(out, withSchema("presets", presetsJson()));
    return printPresets(out);
  }
  const AttentionConfig config = configOf(options);
  const Ledger cost = ledger(config);
  if (options.json) return printJson(out, withSchema("info", infoJson(config, cost)));
  printInfo(out, options.config.name(), config, cost);
}

}  // namespace

Command addInfo(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("info", "shapes, parameters and cost, step by step");
  auto options = std::make_shared<InfoOptions>();
  addConfigOptions(*sub, options->config);
  const char* group = "Attention";
  addSwitches(*sub, options->switches, group);
  addPairBias(*sub, options->pairBias, group);
  sub->add_flag("--presets", options->presets, "list the presets instead");
  sub->add_flag("--json", options->json, "print JSON");
  return {sub, [options](std::ostream& out) { runInfo(*options, out); }};
}

}  // namespace headscope::cli
