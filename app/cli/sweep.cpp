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
#include "app/cli/model_readings.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/formats/text_set.h"
#include "core/formats/text_templates.h"
#include "core/model/texts_sweep.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using model::AskedWord;
using model::EffectsOverTexts;
using model::Patch;
using model::PatchEffect;
using model::Receiver;
using model::Site;
using model::SweepOver;
using model::SweepWith;
using model::TextsSweep;
using model::TextToSweep;

struct SweepOptions {
  std::string directory;
  AdapterOptions adapter;
  ModelTextOptions text;
  std::vector<Index> ids;
  std::string over = "heads", with = "zero";
  std::optional<std::string> otherText;
  std::vector<Index> otherIds;
  AskedWordOptions asked;
  std::string set, jsonLines;  // files, or templates
  TemplateOptions templates;
  std::string to;  // the receiver of paths: "9.6:q"
  bool swap = false;
  int threads = 0;
  bool strict = false;
  bool json = false;
  bool csv = false;
};

/// A kind of part that a sweep replaces: its name in flags and JSON, and the column of its number.
struct SweptKind {
  const char* name;
  SweepOver over;
  const char* column;   // in JSON and CSV
  const char* heading;  // in the table
  const char* inWords;
};
constexpr std::array kSwept{
    SweptKind{"heads", SweepOver::heads, "head", "head", "each head's output"},
    SweptKind{"layers", SweepOver::layers, "part", "part", "each layer's attention or network"},
    SweptKind{"places", SweepOver::places, "place", "place",
              "the residual stream before each layer, at each place"},
    SweptKind{"queries", SweepOver::queries, "head", "head", "each head's queries"},
    SweptKind{"keys", SweepOver::keys, "kv_head", "key/value head", "each key/value head's keys"},
    SweptKind{"values", SweepOver::values, "kv_head", "key/value head",
              "each key/value head's values"}};

const SweptKind& kindOf(const SweepOptions& options) {
  return *std::ranges::find_if(kSwept,
                               [&](const SweptKind& kind) { return options.over == kind.name; });
}

/// The number of a part in its layer, or its name.
Json partNumber(const Patch& patch) {
  if (isOfHeads(patch.site)) return patch.head;
  if (patch.site == Site::residual) return patch.place;
  return patch.site == Site::attention ? "attention" : "network";
}

SweepOver overOf(const SweepOptions& options) { return kindOf(options).over; }

/// Parses "9.6:q". Throws UserError that names the flag.
std::optional<Receiver> receiverOf(const SweepOptions& options, const model::ModelConfig& config) {
  if (options.to.empty()) return std::nullopt;
  if (options.over != "heads") throw UserError("--to: paths lead from heads: give --over heads");
  const std::size_t colon = options.to.find(':');
  const std::string side = colon == std::string::npos ? "" : options.to.substr(colon + 1);
  if (side != "q" && side != "k" && side != "v") {
    throw UserError(fmt::format(
        "--to {}: give layer, head and q, k or v, as in 9.6:q (of k and v: the key/value head)",
        options.to));
  }
  const HeadOfLayer head = headFrom("--to", options.to.substr(0, colon), config);
  if (head.layer == 0) {
    throw UserError(fmt::format(
        "--to {}: a path leads from a head of an earlier layer, and layer 0 has none", options.to));
  }
  return Receiver{model::siteFromName(side), head.layer, head.head};
}

SweepWith withOf(const SweepOptions& options) {
  return options.with == "zero"   ? SweepWith::zero
         : options.with == "mean" ? SweepWith::mean
                                  : SweepWith::other;
}

/// The result of a sweep over one or several texts.
struct Swept : model::SweptTexts {
  std::vector<std::string> names;  // of the texts in a set

  /// The metric of the other text, the mean over the texts.
  std::optional<double> other() const {
    if (otherMetrics.empty()) return std::nullopt;
    return std::accumulate(otherMetrics.begin(), otherMetrics.end(), 0.0) /
           static_cast<double>(otherMetrics.size());
  }
  /// Returns nothing where the texts ask for different words.
  std::optional<AskedWord> word() const {
    const auto same = [&](const AskedWord& each) {
      return each.word == asked.front().word && each.other == asked.front().other;
    };
    return std::ranges::all_of(asked, same) ? std::optional(asked.front()) : std::nullopt;
  }
};

/// Runs a sweep as its flags say.
class Sweeper {
 public:
  Sweeper(const SweepOptions& options, OpenModels& models)
      : options_(options),
        models_(models),
        model_(models.model(adaptedFolderFrom(options.directory, options.adapter),
                            defaultMemoryBudget() / 2, options.strict)),
        names_(models.names(options.directory)),
        setting_{overOf(options), withOf(options), {}, receiverOf(options, model_->config())} {
    requireOneStack(*model_, "sweep");
    execution_.threads = options.threads;
  }

  const formats::TokenizerPtr& names() const { return names_; }

  std::vector<formats::TextOfSet> textsOf(const std::string& set) const {
    return textsOfSet(set, options_.templates, models_, options_.directory);
  }

  /// Sweeps over the text of the flags, or over their set.
  Swept run() {
    const std::vector<formats::TextOfSet> set =
        options_.set.empty() ? std::vector<formats::TextOfSet>() : textsOf(options_.set);
    // with a text of its own, the command uses the set for means alone
    const bool one = options_.text.given() > 0 || !options_.ids.empty() || set.empty();
    if (!one) return over(set);
    std::vector<model::ModelInput> meanOf;
    if (setting_.with == SweepWith::mean) {
      for (const formats::TextOfSet& text : set) meanOf.push_back(inputOf(text.text));
    }
    return over({textOfFlags()}, {""}, std::move(meanOf));
  }

  /// Sweeps over texts of a set, as if it had no others.
  Swept over(const std::vector<formats::TextOfSet>& set) {
    std::vector<TextToSweep> texts;
    std::vector<std::string> names;
    for (const formats::TextOfSet& text : set) {
      texts.push_back(textOf(text));
      names.push_back(text.name);
    }
    return over(std::move(texts), std::move(names), {});
  }

 private:
  Swept over(std::vector<TextToSweep> texts, std::vector<std::string> names,
             std::vector<model::ModelInput> meanOf) {
    setting_.meanOf = std::move(meanOf);
    const std::size_t count = texts.size();
    const Index units = TextsSweep::units(count, setting_, model_->config().layers);
    const auto document = makeModelDocument(model_, texts.front().input);
    TextsSweep sweep(document, std::move(texts), setting_, execution_);
    for (Index done = 0; !sweep.runUnit();) {
      if (count == 1) {
        progress_.at(++done, units, "layers");
      } else {
        progress_.at(static_cast<Index>(sweep.textsDone()), static_cast<Index>(count), "texts");
      }
    }
    return {sweep.found().value(), std::move(names)};
  }

  model::ModelInput inputOf(const formats::TextOrIds& text) const {
    ModelTextOptions flags;
    std::vector<Index> ids;
    setText(flags, ids, text);
    return modelInput(models_, options_.directory, flags, ids, model_->config());
  }

  TextToSweep textOfFlags() const {
    TextToSweep text{
        {},
        modelInput(models_, options_.directory, options_.text, options_.ids, model_->config()),
        {},
        [this](const model::ModelTrace& trace) {
          return askedWord(options_.asked, trace, names_);
        }};
    if (setting_.with != SweepWith::other) return text;
    if (!options_.otherText && options_.otherIds.empty()) {
      throw UserError("--with other needs the other text: give --other-text or --other-ids");
    }
    text.other = inputOf({options_.otherText.value_or(""), options_.otherIds});
    return text;
  }

  TextToSweep textOf(const formats::TextOfSet& text) const {
    TextToSweep one{text.name,
                    inputOf(text.text),
                    {},
                    [this, answers = text.answers](const model::ModelTrace& trace) {
                      return askedWord(withAnswers(options_.asked, answers), trace, names_);
                    }};
    if (!text.other.empty()) one.other = inputOf(text.other);
    if (setting_.with != SweepWith::other) return one;
    if (!one.other) {
      throw UserError(fmt::format(
          "{} has no \"corrupt\" text, whose values --with other puts in place", text.name));
    }
    if (options_.swap) std::swap(one.input, *one.other);
    return one;
  }

  const SweepOptions& options_;
  OpenModels& models_;
  model::ModelPtr model_;
  formats::TokenizerPtr names_;
  model::SweepSetting setting_;
  ExecutionContext execution_;
  Progress progress_{"sweep"};
};

Json sweepJson(const Swept& swept, const SweepOptions& options,
               const formats::TokenizerPtr& names) {
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
    Json one{{"layer", patch.layer}};
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

void printCsv(std::ostream& out, const Swept& swept, const SweepOptions& options) {
  out << fmt::format("layer,{},value,direct,estimate,probability,kl\n", kindOf(options).column);
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    const Patch& patch = swept.parts[i];
    const PatchEffect effect = swept.effects.of(i).mean;
    const Json part = partNumber(patch);
    out << fmt::format("{},{},{},{},{},{},{}\n", patch.layer,
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
                const formats::TokenizerPtr& names) {
  constexpr std::size_t kShown = 20;
  const PatchEffect base = swept.effects.base();
  const bool set = swept.effects.texts() > 1;
  const auto asked = swept.word();
  const auto other = swept.other();
  out << fmt::format(
      "the logit of {}{} is {:.4f}{}",
      asked ? inWords(*asked, names) : "the right answer minus the wrong",
      set ? fmt::format(", the mean over {} texts,", withThousands(swept.effects.texts())) : "",
      base.metric, other ? fmt::format(" here and {:.4f} on the other text", *other) : "");
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
  TextTable table(columns);
  table.add(titles);
  for (const std::size_t i : order) {
    const Patch& patch = swept.parts[i];
    const PatchEffect& effect = found[i].mean;
    const Json part = partNumber(patch);
    const auto number = part.whole();
    std::vector<std::string> cells{
        std::to_string(patch.layer + 1),
        number ? std::to_string(*number + 1) : *part.text(),
        fmt::format("{:.4f}", effect.metric),
        fmt::format("{:+.4f}", effect.metric - base.metric),
        effect.direct ? fmt::format("{:+.4f}", *effect.direct) : std::string("–"),
        effect.estimate ? fmt::format("{:+.4f}", *effect.estimate) : std::string("–"),
        effect.looks ? fmt::format("{:.2f}", *effect.looks) : std::string("–")};
    if (set) cells.push_back(fmt::format("{:.4f}", found[i].spread));
    table.add(std::move(cells));
  }
  table.print(out);
  out << "layers, heads and places count from 1 here, from 0 in flags, JSON and CSV\n";
}

/// A finished sweep, and the tokenizer for its words; null: none.
struct NamedSweep {
  Swept swept;
  formats::TokenizerPtr names;
};

void checkSweep(const SweepOptions& options) {
  if (options.with != "other" && (options.otherText || !options.otherIds.empty())) {
    throw UserError("--other-text and --other-ids belong to --with other");
  }
  checkTemplateFlags(options.templates, options.set.empty() ? options.jsonLines : options.set);
  prepareGemm();
}

NamedSweep sweepOf(const SweepOptions& options, OpenModels& models) {
  checkSweep(options);
  Sweeper sweeper(options, models);
  return {sweeper.run(), sweeper.names()};
}

Json sweepJsonOf(const SweepOptions& options, OpenModels& models) {
  const NamedSweep found = sweepOf(options, models);
  return sweepJson(found.swept, options, found.names);
}

void runSweepCommand(const SweepOptions& options, OpenModels& models, std::ostream& out) {
  if (!options.jsonLines.empty()) {
    checkSweep(options);
    Sweeper sweeper(options, models);
    return printJsonLines(out, sweeper.textsOf(options.jsonLines), "sweep",
                          [&](const formats::TextOfSet& text) {
                            return sweepJson(sweeper.over({text}), options, sweeper.names());
                          });
  }
  if (options.json) return printJson(out, sweepJsonOf(options, models));
  const NamedSweep found = sweepOf(options, models);
  if (options.csv) return printCsv(out, found.swept, options);
  printSweep(out, found.swept, options, found.names);
}

}  // namespace

Command addSweep(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand(
      "sweep", "replaces each part of a model in turn and prints its effect on a prediction");
  auto options = std::make_shared<SweepOptions>();
  SweepOptions& o = *options;
  addModelFlags(*sub, {o.directory, o.adapter, o.text, o.ids}, context);
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
