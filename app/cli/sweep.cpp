// The sweep command: replaces every head of a model in turn, every layer's attention and network,
// or the residual stream at every layer and place, and prints the effect of each on a prediction.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/json_lines.h"
#include "app/cli/model_readings.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "app/cli/sweep_output.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/formats/text_set.h"
#include "core/formats/text_templates.h"
#include "core/model/texts_sweep.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using model::Patch;
using model::Receiver;
using model::SweepWith;
using model::TextsSweep;
using model::TextToSweep;

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

/// Runs a sweep as its flags say.
class Sweeper {
 public:
  Sweeper(const SweepOptions& options, OpenModels& models)
      : options_(options),
        models_(models),
        model_(models.model(adaptedFolderFrom(options.directory, options.adapter),
                            defaultMemoryBudget() / 2, options.strict)),
        names_(models.names(options.directory)),
        setting_{overOf(options),
                 withOf(options),
                 {},
                 options.place.value_or(Patch::kEveryPlace),
                 receiverOf(options, model_->config())} {
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

/// A finished sweep, and the tokenizer for its words; null: none.
struct NamedSweep {
  Swept swept;
  formats::TokenizerPtr names;
};

void checkSweep(const SweepOptions& options) {
  if (options.place && options.over == "places") {
    throw UserError("--place: --over places replaces every place in turn: give another --over");
  }
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
  sub->add_option("--by", o.by,
                  "sort by the size of this number, of which the spread over a set is printed "
                  "(total); adds is what the part itself adds to the logit")
      ->check(CLI::IsMember({"total", "direct", "probability", "kl", "looks", "adds", "estimate"}))
      ->type_name("NUMBER");
  sub->add_option("--with", o.with,
                  "by zero (default), by its mean over the text or over the texts of --set, or by "
                  "its values on another text")
      ->check(CLI::IsMember({"zero", "mean", "other"}))
      ->type_name("zero|mean|other");
  sub->add_option("--place", o.place, "replace each part at this token of the text alone, from 0")
      ->check(notWhole)
      ->type_name("K");
  auto* otherText = sub->add_option("--other-text", o.otherText,
                                    "the other text, aligned with the first token by token")
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
