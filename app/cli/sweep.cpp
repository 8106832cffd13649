// The sweep command: replaces every head of a model in turn, every layer's attention and network,
// or the residual stream at every layer and place, and prints the effect of each on a prediction.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/cli/asked_word.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/json_lines.h"
#include "app/cli/model_text.h"
#include "app/cli/output.h"
#include "app/cli/sweep_output.h"
#include "app/cli/sweeper.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "core/base/error.h"
#include "core/formats/text_templates.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
void checkSweep(const SweepOptions& options) {
  if (!options.place.empty() && options.over == "places") {
    throw UserError("--place: --over places replaces every place in turn: give another --over");
  }
  const bool other = options.otherText || !options.otherIds.empty() || options.otherImage.given();
  if (options.with != "other" && other) {
    throw UserError(
        "--other-text, --other-ids, --other-image and --other-pixels belong to --with other");
  }
  if (options.swap && options.with != "other") {
    throw UserError(
        "--swap puts the values of the clean texts into the corrupt ones: it needs --with other");
  }
  const bool ownText = options.text.given() > 0 || !options.ids.empty() || options.image.given();
  if (ownText && !options.set.empty() && options.with != "mean") {
    throw UserError(
        "--set gives the means for a text of its own: add --with mean, or leave out the text to "
        "sweep the set");
  }
  checkTemplateFlags(options.templates, options.set.empty() ? options.jsonLines : options.set);
  prepareGemm();
}

/// The sweep as `swept` runs it, of several receivers a list of their sweeps.
template <typename Sweep>
Json jsonOfReceivers(const SweepOptions& options, OpenModels& models, const Sweep& swept) {
  const std::vector<SweepOptions> receivers = forEachReceiver(options, models);
  Json sweeps = Json::emptyList();
  for (const SweepOptions& one : receivers) {
    Sweeper sweeper(one, models);
    sweeps.push_back(sweepJson(swept(sweeper), one, sweeper));
  }
  if (receivers.size() == 1) return sweeps.list()->front();
  return withSchema("sweep", {{"sweeps", std::move(sweeps)}});
}

Json sweepJsonOf(const SweepOptions& options, OpenModels& models) {
  checkSweep(options);
  return jsonOfReceivers(options, models, [](Sweeper& sweeper) { return sweeper.run(); });
}

void runSweepCommand(const SweepOptions& options, OpenModels& models, std::ostream& out) {
  if (options.json) return printJson(out, sweepJsonOf(options, models));
  checkSweep(options);
  if (!options.jsonLines.empty()) {
    const auto texts = textsOfSet(options.jsonLines, options.templates, models, options.directory,
                                  options.text.in);
    return printJsonLines(out, texts, "sweep", [&](const formats::TextOfSet& text) {
      return jsonOfReceivers(options, models,
                             [&](Sweeper& sweeper) { return sweeper.over({text}); });
    });
  }
  bool first = true;
  for (const SweepOptions& one : forEachReceiver(options, models)) {
    Sweeper sweeper(one, models);
    const Swept swept = sweeper.run();
    if (!first && !options.csv) out << '\n';
    if (options.csv) {
      printCsv(out, swept, one, sweeper.config(), first);
    } else {
      printSweep(out, swept, one, sweeper);
    }
    first = false;
  }
}

}  // namespace

Command addSweep(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand(
      "sweep", "replaces each part of a model in turn and prints its effect on a prediction");
  auto options = std::make_shared<SweepOptions>();
  SweepOptions& o = *options;
  addModelFlags(*sub, {o.directory, o.adapter, o.text, o.ids}, context);
  addTargetFlags(*sub, o.target);
  addImageFlags(*sub, o.image);
  sub->add_option("--over", o.over,
                  "replace each head's output (default), each layer's attention and network, the "
                  "residual stream that enters each layer, at each place, or each head's queries, "
                  "keys or values alone")
      ->check(CLI::IsMember({"heads", "layers", "places", "queries", "keys", "values"}))
      ->type_name("heads|layers|places|queries|keys|values");
  sub->add_option("--to", o.receivers,
                  "with --over heads: the effect of each head of an earlier layer through the "
                  "queries, keys or values of this one alone (path patching): 9.6:q, 9.6:k; of "
                  "several, 9.6:q,9.9:q or all:q, one after the other")
      ->delimiter(',')
      ->check(notEmpty)
      ->type_name("L.H:q|k|v,…");
  sub->add_option("--by", o.by,
                  "sort by the size of this number, of which the spread over a set is printed "
                  "(total); adds is what the part itself adds to the logit")
      ->check(CLI::IsMember({"total", "direct", "probability", "kl", "looks", "adds", "estimate"}))
      ->type_name("NUMBER");
  sub->add_option("--with", o.with,
                  "by zero (default), by its mean over the text or over the texts of --set, or by "
                  "its values on another text or image")
      ->check(CLI::IsMember({"zero", "mean", "other"}))
      ->type_name("zero|mean|other");
  sub->add_option("--place", o.place,
                  "replace each part at this token of the text alone, from 0; asked: at the token "
                  "whose prediction is read; each: at each token in turn")
      ->check(notEmpty)
      ->type_name("K|asked|each");
  auto* otherText = sub->add_option("--other-text", o.otherText,
                                    "the other text, aligned with the first token by token")
                        ->type_name("TEXT");
  auto* otherIds = sub->add_option("--other-ids", o.otherIds, "the other text's token ids: 1,2,3")
                       ->delimiter(',')
                       ->check(notWhole)
                       ->excludes(otherText)
                       ->type_name("N,N…");
  addOtherImageFlags(*sub, o.otherImage, "the other image, of the same size, patch by patch",
                     {otherText, otherIds});
  addAskedWord(*sub, o.asked);
  auto* set = sub->add_option("--set", o.set,
                              "a set of texts, one on a line, or a .jsonl file (-: the standard "
                              "input) with \"text\", or "
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
