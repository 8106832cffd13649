// The sweep command: replaces every head of a model in turn, every layer's attention and network,
// or the residual stream at every layer and place, and prints the effect of each on a prediction.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/json_lines.h"
#include "app/cli/model_text.h"
#include "app/cli/output.h"
#include "app/cli/sweeper.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "core/base/error.h"
#include "core/formats/model_tensors.h"
#include "core/formats/text_templates.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using model::AskedWord;
using model::EffectsOverTexts;
using model::Patch;
using model::PatchEffect;
using model::Site;
using model::SweepOver;

/// A kind of part that a sweep replaces, and the column of its number.
struct SweptKind {
  SweepOver over;
  const char* column;   // in JSON and CSV
  const char* heading;  // in the table
  const char* inWords;
};
constexpr std::array kSwept{
    SweptKind{SweepOver::heads, "head", "head", "each head's output"},
    SweptKind{SweepOver::layers, "part", "part", "each layer's attention or network"},
    SweptKind{SweepOver::places, "place", "place",
              "the residual stream before each layer, at each place"},
    SweptKind{SweepOver::queries, "head", "head", "each head's queries"},
    SweptKind{SweepOver::keys, "kv_head", "key/value head", "each key/value head's keys"},
    SweptKind{SweepOver::values, "kv_head", "key/value head", "each key/value head's values"}};

const SweptKind& kindOf(const SweepOptions& options) {
  return *std::ranges::find(kSwept, overOf(options), &SweptKind::over);
}

/// The number of a part in its layer, or its name.
Json partNumber(const Patch& patch) {
  if (isOfHeads(patch.site)) return patch.head;
  if (patch.site == Site::residual) return patch.place;
  return patch.site == Site::attention ? "attention" : "network";
}

Json sweepJson(const Swept& swept, const SweepOptions& options, const Sweeper& sweeper) {
  const formats::TokenizerPtr& names = sweeper.names();
  const auto asked = swept.word();
  Json json{{"schema", "headscope.sweep/1"},
            {"metric", !asked || asked->other ? "logit_difference" : "logit"},
            {"over", options.over},
            {"with", options.with}};
  if (!options.to.empty()) json["to"] = options.to;
  if (asked) {
    json["at"] = asked->row;
    json["token_id"] = asked->word;
    if (names != nullptr) json["token"] = tokenInWords(asked->word, names);
    if (asked->other) json["against_id"] = *asked->other;
    if (asked->other && names != nullptr) {
      json["against"] = tokenInWords(*asked->other, names);
    }
  }
  const bool set = swept.effects.texts() > 1;
  if (set) json["texts"] = swept.effects.texts();
  const PatchEffect base = swept.effects.base();
  json["base"] = numberJson(base.metric);
  json["base_probability"] = numberJson(base.probability);
  const auto other = swept.other();
  json["other"] = other ? numberJson(*other) : Json();
  Json effects = Json::emptyList();
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    const Patch& patch = swept.parts[i];
    const EffectsOverTexts::Summary found = swept.effects.of(i);
    Json one = Json::emptyObject();
    formats::addLayer(one, patch.layer, sweeper.config(), patch.stack);
    one[kindOf(options).column] = partNumber(patch);
    one["value"] = numberJson(found.mean.metric);
    one["direct"] = found.mean.direct ? numberJson(*found.mean.direct) : Json();
    one["estimate"] = found.mean.estimate ? numberJson(*found.mean.estimate) : Json();
    one["probability"] = numberJson(found.mean.probability);
    one["kl"] = numberJson(found.mean.divergence);
    one["looks"] = found.mean.looks ? numberJson(*found.mean.looks) : Json();
    if (set) {
      one["spread"] = numberJson(found.spread);
      one["strongest"] = swept.names[found.strongest];
    }
    effects.push_back(std::move(one));
  }
  json["effects"] = std::move(effects);
  return json;
}

/// "encoder", "decoder" or "cross"; empty for a model of one stack.
const char* attentionOf(const Patch& patch, const model::ModelConfig& config) {
  if (patch.stack == model::Stack::encoder) return "encoder";
  if (!config.crossAttention) return "";
  return config.readsMemory(patch.layer) ? "cross" : "decoder";
}
/// The layer as the model's authors count, from 0.
Index depthOf(const Patch& patch, const model::ModelConfig& config) {
  return patch.stack == model::Stack::encoder ? patch.layer : config.depthOf(patch.layer);
}

void printCsv(std::ostream& out, const Swept& swept, const SweepOptions& options,
              const model::ModelConfig& config) {
  const bool two = config.crossAttention;
  out << fmt::format("{}layer,{},value,direct,estimate,probability,kl\n", two ? "attention," : "",
                     kindOf(options).column);
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    const Patch& patch = swept.parts[i];
    const PatchEffect effect = swept.effects.of(i).mean;
    const Json part = partNumber(patch);
    if (two) out << attentionOf(patch, config) << ',';
    out << fmt::format("{},{},{},{},{},{},{}\n", depthOf(patch, config),
                       part.text() != nullptr ? *part.text() : part.dump(), effect.metric,
                       effect.direct ? fmt::format("{}", *effect.direct) : "",
                       effect.estimate ? fmt::format("{}", *effect.estimate) : "",
                       effect.probability, effect.divergence);
  }
}

std::string replacedBy(const SweepOptions& options) {
  if (options.with == "zero") return "zero";
  if (options.with == "other") return "its values on the other text";
  return options.set.empty() ? "its mean over the text" : "its mean over the set's texts";
}

void printSweep(std::ostream& out, const Swept& swept, const SweepOptions& options,
                const Sweeper& sweeper) {
  const formats::TokenizerPtr& names = sweeper.names();
  const model::ModelConfig& config = sweeper.config();
  constexpr std::size_t kShown = 20;
  const PatchEffect base = swept.effects.base();
  const bool set = swept.effects.texts() > 1;
  const auto asked = swept.word();
  const auto other = swept.other();
  out << fmt::format("the logit of {}{} is {:.4f}{}",
                     asked ? inWords(*asked, names) : "the right answer minus the wrong",
                     set ? fmt::format(", the mean over {} texts,", swept.effects.texts()) : "",
                     base.metric,
                     other ? fmt::format(" here and {:.4f} on the other text", *other) : "");
  out << fmt::format("\nwith {} replaced by {}", kindOf(options).inWords, replacedBy(options));
  if (!options.to.empty()) {
    out << fmt::format(", through {} alone (from 0), heads between held", options.to);
  }
  std::vector<std::size_t> order(swept.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<EffectsOverTexts::Summary> found;
  for (std::size_t i = 0; i < order.size(); ++i) found.push_back(swept.effects.of(i));
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::abs(found[a].mean.metric - base.metric) >
           std::abs(found[b].mean.metric - base.metric);
  });
  out << (order.size() > kShown
              ? fmt::format(", the {} largest of {} effects:\n", kShown, order.size())
              : std::string(":\n"));
  order.resize(std::min(order.size(), kShown));
  std::vector<Align> columns(7, Align::right);
  columns[0] = columns[1] = Align::left;
  std::vector<std::string> titles{
      "layer", kindOf(options).heading, "becomes", "total", "direct", "estimate", "looks"};
  if (set) {
    columns.push_back(Align::right);
    titles.emplace_back("spread");
  }
  if (config.crossAttention) {
    columns.insert(columns.begin(), Align::left);
    titles.insert(titles.begin(), "attention");
  }
  TextTable table(columns);
  table.add(titles);
  for (const std::size_t i : order) {
    const Patch& patch = swept.parts[i];
    const PatchEffect& effect = found[i].mean;
    const Json part = partNumber(patch);
    const auto number = part.whole();
    std::vector<std::string> cells{
        std::to_string(depthOf(patch, config) + 1),
        number ? std::to_string(*number + 1) : *part.text(),
        fmt::format("{:.4f}", effect.metric),
        fmt::format("{:+.4f}", effect.metric - base.metric),
        effect.direct ? fmt::format("{:+.4f}", *effect.direct) : std::string("–"),
        effect.estimate ? fmt::format("{:+.4f}", *effect.estimate) : std::string("–"),
        effect.looks ? fmt::format("{:.2f}", *effect.looks) : std::string("–")};
    if (set) cells.push_back(fmt::format("{:.4f}", found[i].spread));
    if (config.crossAttention) cells.insert(cells.begin(), attentionOf(patch, config));
    table.add(std::move(cells));
  }
  table.print(out);
  out << "layers, heads and places count from 1 here, from 0 in flags, JSON and CSV\n";
}

void checkSweep(const SweepOptions& options) {
  if (options.with != "other" && (options.otherText || !options.otherIds.empty())) {
    throw UserError("--other-text and --other-ids belong to --with other");
  }
  checkTemplateFlags(options.templates, options.set.empty() ? options.jsonLines : options.set);
  prepareGemm();
}

Json sweepJsonOf(const SweepOptions& options, OpenModels& models) {
  checkSweep(options);
  Sweeper sweeper(options, models);
  return sweepJson(sweeper.run(), options, sweeper);
}

void runSweepCommand(const SweepOptions& options, OpenModels& models, std::ostream& out) {
  if (options.json) return printJson(out, sweepJsonOf(options, models));
  checkSweep(options);
  Sweeper sweeper(options, models);
  if (!options.jsonLines.empty()) {
    return printJsonLines(out, sweeper.textsOf(options.jsonLines), "sweep",
                          [&](const formats::TextOfSet& text) {
                            return sweepJson(sweeper.over({text}), options, sweeper);
                          });
  }
  const Swept swept = sweeper.run();
  if (options.csv) return printCsv(out, swept, options, sweeper.config());
  printSweep(out, swept, options, sweeper);
}

}  // namespace

Command addSweep(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand(
      "sweep", "replaces each part of a model in turn and prints its effect on a prediction");
  auto options = std::make_shared<SweepOptions>();
  SweepOptions& o = *options;
  addModelFlags(*sub, {o.directory, o.adapter, o.text, o.ids}, context);
  addTargetFlags(*sub, o.target);
  sub->add_option("--over", o.over,
                  "replace each head's output (default), each layer's attention and network, the "
                  "residual stream that enters each layer, at each place, or each head's queries, "
                  "keys or values alone")
      ->check(CLI::IsMember({"heads", "layers", "places", "queries", "keys", "values"}))
      ->type_name("heads|layers|places|queries|keys|values");
  sub->add_option("--to", o.to,
                  "with --over heads: the effect of each head of an earlier layer through the "
                  "queries, keys or values of this one alone (path patching): 9.6:q, 9.6:k")
      ->check(notEmpty)
      ->type_name("L.H:q|k|v");
  sub->add_option("--with", o.with,
                  "by zero (default), by its mean over the text or over the texts of --set, or by "
                  "its values on another text")
      ->check(CLI::IsMember({"zero", "mean", "other"}))
      ->type_name("zero|mean|other");
  auto* otherText =
      sub->add_option("--other-text", o.otherText, "the other text, with as many tokens")
          ->type_name("TEXT");
  sub->add_option("--other-ids", o.otherIds, "the other text's token ids: 1,2,3")
      ->delimiter(',')
      ->check(notWhole)
      ->excludes(otherText)
      ->type_name("N,N…");
  addAskedWord(*sub, o.asked);
  auto* set = sub->add_option("--set", o.set,
                              "a set of texts, one on a line, or a .jsonl file with \"text\", or "
                              "\"clean\", \"corrupt\" and \"answers\", or made by " +
                                  formats::textTemplatesInWords() +
                                  ": sweeps each of them, or gives the means for the text of "
                                  "--text or --ids")
                  ->check(notEmpty)
                  ->type_name("F.jsonl|template:NAME");
  auto* lines = addJsonLines(*sub, o.jsonLines)->excludes(set);
  addTemplateFlags(*sub, o.templates);
  sub->add_flag("--swap", o.swap,
                "with a set: run the corrupt texts, with values of the clean ones")
      ->needs(set);
  addThreads(*sub, o.threads);
  sub->add_flag("--strict", o.strict, kStrictHelp);
  auto* json = sub->add_flag("--json", o.json, "print JSON");
  sub->add_flag("--csv", o.csv, "print CSV")->excludes(json)->excludes(lines);
  return {
      sub,
      [options, &context](std::ostream& out) { runSweepCommand(*options, context.models, out); },
      [options, &context] { return sweepJsonOf(*options, context.models); }};
}

}  // namespace headscope::cli
