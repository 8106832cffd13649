// The why command: follows the strongest parts from a predicted word, or from a score, back to the
// words that were read.
#include "core/model/why.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/image_options.h"
#include "app/cli/json_lines.h"
#include "app/cli/model_readings.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/output.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "app/cli/why_figure.h"
#include "app/cli/why_output.h"
#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {

struct WhyOptions {
  std::string directory;
  AdapterOptions adapter;
  ModelTextOptions text;
  std::vector<Index> ids;
  ImageOptions image;
  TargetOptions target;
  AskedWordOptions asked;
  std::string score;  // that the chain begins with; empty: a word's logit
  Index depth = 4;
  std::optional<std::string> follow;
  std::string through = "all";
  bool pairs = false;     // measures the pairs of scores too
  std::string jsonLines;  // a file of texts
  std::string out;        // the figure; empty: none
  TemplateOptions templates;
  int threads = 0;
  bool strict = false;
  bool json = false;
};

/// Cuts a whole number from 0 and the colon before it off the end of a text; nothing where it does
/// not end in one.
std::optional<Index> cutPlace(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  Index place = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  if (error != std::errc() || end != digits.data() + digits.size() || place < 0) {
    return std::nullopt;
  }
  text.remove_suffix(digits.size() + 1);
  return place;
}

/// Parses "1.2:5:3": head, query and key.
model::AskedScore scoreFrom(const std::string& text, const model::ModelConfig& config) {
  std::string_view head = text;
  const auto key = cutPlace(head);
  const auto query = cutPlace(head);
  if (!key || !query) {
    throw UserError(fmt::format(
        "--score {}: give head, query and key, all from 0: 1.2:5:3 is the score of layer 1, head 2 "
        "from place 5 to place 3",
        text));
  }
  const HeadOfStack of = headOfStackFrom("--score", std::string(head), config);
  return {of.head, *query, *key, of.stack};
}

/// Throws UserError for a score that the mask hides: no weight comes of it.
void refuseMasked(const model::AskedScore& score, const model::ModelTrace& trace) {
  const TracePtr layer = passOf(trace, score.stack).layer(score.head.layer);
  const AttentionConfig& c = layer->config();
  if (score.query >= c.seqLen || score.key >= c.keys()) return;  // there is no such score
  const std::string masked = whyForbidden(c.mask, 0, score.query, score.key);
  if (masked.empty()) return;
  throw UserError(fmt::format("--score: this score is masked ({}): choose another key", masked));
}

model::WhyQuestion questionFrom(const WhyOptions& options, const model::ModelTrace& trace,
                                const formats::TokenizerPtr& names) {
  if (options.score.empty()) {
    AskedWordOptions asked = options.asked;
    const bool ofImage = trace.document().input.pixels != nullptr;
    if (ofImage && !asked.at) asked.at = 0;  // the class token
    return askedWord(asked, trace, names);
  }
  if (options.asked.any()) {
    throw UserError(
        "--score begins the chain at a score, without a word: leave out --token, --token-id, "
        "--against, --against-id and --at");
  }
  const model::AskedScore score = scoreFrom(options.score, trace.config());
  refuseMasked(score, trace);
  return score;
}

model::ModelDocumentPtr documentFrom(const WhyOptions& options, OpenModels& models,
                                     const model::ModelPtr& model,
                                     const ExecutionContext& execution) {
  refuseTarget(options.target, *model);
  requireImage(options.image, options.directory, *model);
  if (options.image.given()) {
    return makeModelDocument(model, imageInputFrom(options.image, options.directory, *model));
  }
  const bool two = model->encoder() != nullptr;
  auto input = modelInput(models, options.directory, options.text, options.ids,
                          (two ? model->encoder() : model)->config());
  if (!two) return makeModelDocument(model, std::move(input));
  return documentWithTarget(options.target, models, options.directory, model, std::move(input),
                            execution);
}

/// A chain and the tokenizers of its words.
struct FollowedChain {
  model::WhyChain chain;
  formats::WhyNames names;
};

FollowedChain followed(const WhyOptions& options, OpenModels& models) {
  checkTemplateFlags(options.templates, options.jsonLines);
  prepareGemm();
  const Index budget = defaultMemoryBudget();
  const auto model =
      models.model(adaptedFolderFrom(options.directory, options.adapter), budget / 2,
                   options.strict, encoderFor(options.directory, options.image.given()));
  requireOwnWeights(*model, options.directory);
  ExecutionContext execution;
  execution.threads = options.threads;
  const auto trace =
      runModel(documentFrom(options, models, model, execution), nullptr, execution, budget / 2);
  formats::WhyNames names;
  if (!options.image.given()) {
    names.source = models.names(options.directory);
    names.text = model->encoder() ? models.targetNames(options.directory) : names.source;
  }
  const model::WhyQuestion question = questionFrom(options, *trace, names.text);
  auto steps = options.follow ? model::stepsFrom(*options.follow)
                              : strongestSteps(*trace, question, options.depth, execution,
                                               options.through == "heads" ? model::Through::heads
                                                                          : model::Through::all);
  auto chain = whyChain(trace, question, std::move(steps), formats::kMeasuredParts, execution);
  if (options.pairs) measurePairs(chain, formats::kMeasuredParts, execution);
  return {std::move(chain), std::move(names)};
}

void checkFigure(const WhyOptions& options) {
  if (options.out.empty()) return;
  if (!options.jsonLines.empty()) {
    throw UserError("--out draws one chain: leave out --jsonl, and give one text with --text");
  }
  FileFlags files;
  files.reads("the model", options.directory);
  files.reads("--adapter", options.adapter.folder);
  files.reads("--file", options.text.file);
  addFilesRead(files, options.image);
  files.writes("--out", options.out, {".png", ".svg", ".pdf"});
  files.check();
}

/// The chain, which is drawn where a figure is asked for.
FollowedChain drawn(const WhyOptions& options, OpenModels& models) {
  checkFigure(options);
  FollowedChain found = followed(options, models);
  if (!options.out.empty()) writeWhyFigure(options.out, found.chain, found.names);
  return found;
}

Json whyJsonOf(const WhyOptions& options, OpenModels& models) {
  const FollowedChain found = drawn(options, models);
  return formats::whyJson(found.chain, found.names);
}

void printChain(const WhyOptions& options, OpenModels& models, std::ostream& out) {
  const FollowedChain found = drawn(options, models);
  printWhy(out, found.chain, found.names);
  if (!options.out.empty()) out << "figure: " << options.out << '\n';
}

/// The flags with a text of a file in the place of their own.
WhyOptions withText(WhyOptions options, const formats::TextOfSet& text) {
  setText(options.text, options.ids, text.text);
  options.asked = withAnswers(std::move(options.asked), text.answers);
  return options;
}

void runWhyCommand(const WhyOptions& options, OpenModels& models, std::ostream& out) {
  if (!options.jsonLines.empty()) {
    checkFigure(options);
    const auto texts = textsOfSet(options.jsonLines, options.templates, models, options.directory,
                                  options.text.in);
    return printJsonLines(out, texts, "why", [&](const formats::TextOfSet& text) {
      return whyJsonOf(withText(options, text), models);
    });
  }
  if (options.json) return printJson(out, whyJsonOf(options, models));
  printChain(options, models, out);
}

}  // namespace

Command addWhy(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand("why",
                                     "follows a predicted word, or a head's score, back to the "
                                     "words that were read, by exact sums");
  auto options = std::make_shared<WhyOptions>();
  WhyOptions& o = *options;
  addModelFlags(*sub, {o.directory, o.adapter, o.text, o.ids}, context);
  addImageFlags(*sub, o.image);
  addTargetFlags(*sub, o.target);
  addAskedWord(*sub, o.asked);
  sub->add_option(
         "--score", o.score,
         "begins at a score instead of a word: head, query and key, from 0, in every model "
         "with attention; of two stacks encoder:0.3:2:1, decoder:… or cross:…")
      ->check(notEmpty)
      ->type_name("L.H:Q:K");
  auto* depth =
      sub->add_option("--depth", o.depth, "the number of steps, 4 unless given; 0: the parts alone")
          ->check(CLI::Range(Index{0}, Index{64}))
          ->type_name("N");
  auto* through =
      sub->add_option("--through", o.through,
                      "what the largest parts are of: all (heads and networks), or heads "
                      "alone, past what networks wrote")
          ->check(CLI::IsMember({"all", "heads"}))
          ->type_name("all|heads");
  sub->add_option("--follow", o.follow, "these steps, not the largest parts: h1.2 s10 k:t:h0.3 v9")
      ->excludes(depth)
      ->excludes(through)
      ->type_name("STEPS");
  sub->add_flag("--pairs", o.pairs,
                "runs again without the largest pairs of writers of each score, too");
  sub->add_option("--out", o.out, "draws all levels of the chain, each with what it adds up from")
      ->check(notEmpty)
      ->type_name("FILE.png|svg|pdf");
  addJsonLines(*sub, o.jsonLines);
  addTemplateFlags(*sub, o.templates);
  addThreads(*sub, o.threads);
  sub->add_flag("--strict", o.strict, kStrictHelp);
  sub->add_flag("--json", o.json, "print JSON");
  return {sub,
          [options, &context](std::ostream& out) { runWhyCommand(*options, context.models, out); },
          [options, &context] { return whyJsonOf(*options, context.models); }};
}

}  // namespace headscope::cli
