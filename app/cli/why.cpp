// The why command: follows the strongest parts from a predicted word back to the words that were
// read.
#include "core/model/why.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/json_lines.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/output.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "app/cli/writer_json.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/formats/model_tensors.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using model::AskedWord;
using model::ScoreParts;
using model::Stack;
using model::WhyLevel;
using model::WhyStep;
using model::Writer;
using model::WriterKind;
using model::WrittenPart;

constexpr std::size_t kShownParts = 8;

struct WhyOptions {
  std::string directory;
  AdapterOptions adapter;
  ModelTextOptions text;
  std::vector<Index> ids;
  TargetOptions target;
  AskedWordOptions asked;
  Index depth = 4;
  std::optional<std::string> follow;
  std::string jsonLines;  // a file of texts
  TemplateOptions templates;
  int threads = 0;
  bool strict = false;
  bool json = false;
};

/// A chain, with the effect of leaving out each head that it follows.
struct Chain {
  model::ModelTracePtr trace;
  AskedWord asked;
  std::vector<WhyStep> steps;
  std::vector<WhyLevel> levels;
  std::vector<std::optional<model::WithoutHead>> without;  // by level
};

Chain followed(const WhyOptions& options, OpenModels& models) {
  checkTemplateFlags(options.templates, options.jsonLines);
  prepareGemm();
  const Index budget = defaultMemoryBudget();
  const auto model = models.model(adaptedFolderFrom(options.directory, options.adapter), budget / 2,
                                  options.strict);
  refuseTarget(options.target, *model);
  const bool two = model->encoder() != nullptr;
  ExecutionContext execution;
  execution.threads = options.threads;
  Chain chain;
  auto input = modelInput(models, options.directory, options.text, options.ids,
                          (two ? model->encoder() : model)->config());
  const auto document = two ? documentWithTarget(options.target, models, options.directory, model,
                                                 std::move(input), execution)
                            : makeModelDocument(model, std::move(input));
  chain.trace = runModel(document, nullptr, execution, budget / 2);
  const formats::TokenizerPtr names =
      two ? models.targetNames(options.directory) : models.names(options.directory);
  chain.asked = askedWord(options.asked, *chain.trace, names);
  if (options.follow) chain.steps = model::stepsFrom(*options.follow);
  chain.levels = whyLevels(*chain.trace, chain.asked, chain.steps, execution);
  while (!options.follow && std::ssize(chain.steps) < options.depth) {
    const auto next = strongestStep(chain.levels.back());
    if (!next) break;
    chain.steps.push_back(*next);
    chain.levels = whyLevels(*chain.trace, chain.asked, chain.steps, execution);
  }
  for (std::size_t i = 0; i < chain.levels.size(); ++i) {
    const std::vector<WhyLevel> until(chain.levels.begin(),
                                      chain.levels.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    chain.without.push_back(withoutHead(chain.trace, chain.asked, until, execution));
  }
  return chain;
}

/// The entries of a score, the largest first.
struct Entry {
  Writer query, key;
  double value = 0.0;
};
std::vector<Entry> entriesOf(const ScoreParts& score) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < score.queries.size(); ++i) {
    for (std::size_t j = 0; j < score.keys.size(); ++j) {
      entries.push_back({score.queries[i], score.keys[j],
                         score.values(static_cast<Index>(i), static_cast<Index>(j))});
    }
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  return entries;
}

/// Prints and describes a chain.
class Telling {
 public:
  Telling(Chain chain, OpenModels& models, const std::string& folder)
      : chain_(std::move(chain)),
        names_(twoStacks() ? models.targetNames(folder) : models.names(folder)),
        sourceNames_(models.names(folder)) {}

  Json json() const {
    Json json{{"schema", "headscope.why/1"}};
    json["ids"] = pass(stacksOf(*chain_.trace).front()).document().input.ids;
    if (twoStacks()) json["decoder_ids"] = chain_.trace->document().input.ids;
    json["at"] = chain_.asked.row;
    json["token_id"] = chain_.asked.word;
    json["steps"] = model::textOf(chain_.steps);
    if (names_ != nullptr) json["token"] = tokenInWords(chain_.asked.word, names_);
    if (chain_.asked.other) json["against_id"] = *chain_.asked.other;
    if (chain_.asked.other && names_ != nullptr) {
      json["against"] = tokenInWords(*chain_.asked.other, names_);
    }
    json["logit"] = numberJson(chain_.levels.front().value);
    Json levels = Json::emptyList();
    for (std::size_t i = 0; i < chain_.levels.size(); ++i) levels.push_back(levelJson(i));
    json["levels"] = std::move(levels);
    return json;
  }

  void print(std::ostream& out) const {
    out << fmt::format(
        "why {} after {}: a chain of sums, with patterns and norms held; each level explains the "
        "part that the one before follows\n",
        inWords(chain_.asked, chain_.trace->config(), names_),
        placeInWords(chain_.asked.row, Stack::decoder));
    for (std::size_t i = 0; i < chain_.levels.size(); ++i) {
      out << '\n' << i + 1 << "  ";
      printLevel(out, i);
    }
    out << fmt::format(
        "\nlayers, heads and places count from 1 here, from 0 in flags and JSON\nto follow other "
        "parts, change these steps: --follow \"{}\"\n",
        model::textOf(chain_.steps));
  }

 private:
  const model::ModelConfig& config() const { return chain_.trace->config(); }
  bool twoStacks() const { return config().crossAttention; }
  const model::ModelTrace& pass(Stack stack) const { return passOf(*chain_.trace, stack); }
  const formats::TokenizerPtr& namesOf(Stack stack) const {
    return stack == Stack::encoder ? sourceNames_ : names_;
  }
  Index idAt(Index place, Stack stack) const {
    return pass(stack).document().input.ids[static_cast<std::size_t>(place)];
  }
  std::string placeInWords(Index place, Stack stack) const {
    return fmt::format("“{}” ({} {})", tokenInWords(idAt(place, stack), namesOf(stack)),
                       stack == Stack::encoder ? "place of the source" : "place", place + 1);
  }
  Json placeJson(Index place, Stack stack) const {
    Json json{{"place", place}, {"id", idAt(place, stack)}};
    const auto& names = namesOf(stack);
    if (names != nullptr) json["token"] = tokenInWords(idAt(place, stack), names);
    return json;
  }
  std::string headInWords(HeadOfLayer head, Stack stack) const {
    return fmt::format("{}, head {}", layerInWords(config(), stack, head.layer), head.head + 1);
  }
  void addHead(Json& json, HeadOfLayer head, Stack stack) const {
    formats::addLayer(json, head.layer, config(), stack);
    json["head"] = head.head;
  }
  /// The part that the chain follows from a level; null after the last one.
  const WhyStep* stepFrom(std::size_t level) const {
    return level < chain_.steps.size() ? &chain_.steps[level] : nullptr;
  }

  Json levelJson(std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    Json json = Json::emptyObject();
    if (level.parts) {
      json["kind"] = "parts";
      if (level.reading.stack == Stack::encoder) json["stack"] = "encoder";
      json["place"] = level.reading.place;
      Json parts = Json::emptyList();
      for (const WrittenPart& part : *level.parts) {
        Json one = writerJson(part, config());
        one["value"] = numberJson(part.value);
        parts.push_back(std::move(one));
      }
      json["parts"] = std::move(parts);
    } else if (level.sources) {
      json["kind"] = "head";
      addHead(json, level.sources->head, level.reading.stack);
      json["place"] = level.reading.place;
      Json sources = Json::emptyList();
      for (std::size_t j = 0; j < level.sources->values.size(); ++j) {
        Json one = placeJson(static_cast<Index>(j), level.sources->tokens);
        one["weight"] = numberJson(level.sources->weights[j]);
        one["value"] = numberJson(level.sources->values[j]);
        sources.push_back(std::move(one));
      }
      json["sources"] = std::move(sources);
      if (const auto& without = chain_.without[i]) {
        json["without"] = {{"frozen", numberJson(without->frozen)},
                           {"total", numberJson(without->total)}};
      }
    } else {
      const ScoreParts& score = *level.score;
      json["kind"] = "score";
      addHead(json, score.head, score.stack);
      json["query"] = score.query;
      json["key"] = score.key;
      json["penalty"] = numberJson(0.0 - score.bias);
      const model::ContentAndPosition sums = contentAndPosition(score);
      json["content"] = numberJson(sums.content);
      json["content_and_position"] = numberJson(sums.mixed);
      json["position"] = numberJson(sums.position);
      Json entries = Json::emptyList();
      for (const Entry& entry : entriesOf(score)) {
        entries.push_back({{"query", writerJson(entry.query, config())},
                           {"key", writerJson(entry.key, config())},
                           {"value", numberJson(entry.value)}});
      }
      json["entries"] = std::move(entries);
    }
    json["value"] = numberJson(level.value);
    json["sum"] = numberJson(level.sum);
    json["share"] = numberJson(level.share);
    if (const WhyStep* step = stepFrom(i)) {
      json["follows"] = stepJson(*step, level.reading.stack);
    }
    return json;
  }

  Json stepJson(const WhyStep& step, Stack stack) const {
    Json json = Json::emptyObject();
    switch (step.kind) {
      case WhyStep::Kind::head:
        addHead(json, step.head, stack);
        break;
      case WhyStep::Kind::value:
        json["value_of"] = step.source;
        break;
      case WhyStep::Kind::score:
        json["score_of"] = step.source;
        break;
      case WhyStep::Kind::entry:
        json["query"] = writerJson(step.query, config());
        json["key"] = writerJson(step.key, config());
        json["along"] = step.alongKey ? "key" : "query";
        break;
    }
    return json;
  }

  static std::string share(double part, double whole) {
    if (whole == 0.0) return "–";
    const double percent = 100.0 * part / whole;
    return fmt::format("{:.0f} %", std::abs(percent) < 0.5 ? 0.0 : percent);
  }

  /// ", 24 % of the logit".
  static std::string shareSoFar(const WhyLevel& level) {
    if (level.share == 1.0) return {};
    return fmt::format(", {} of the {}", share(level.share, 1.0),
                       level.ofScore ? "score" : "logit");
  }

  void printLevel(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    if (level.parts) return printParts(out, level, stepFrom(i));
    if (level.sources) return printSources(out, i);
    printScore(out, *level.score, stepFrom(i));
  }

  void printParts(std::ostream& out, const WhyLevel& level, const WhyStep* follows) const {
    out << fmt::format("what wrote at {}: {} parts, sum {:+.4f} = {:+.4f}{}\n",
                       placeInWords(level.reading.place, level.reading.stack), level.parts->size(),
                       level.sum, level.value, shareSoFar(level));
    std::vector<WrittenPart> parts = *level.parts;
    std::ranges::stable_sort(parts, [](const WrittenPart& a, const WrittenPart& b) {
      return std::abs(a.value) > std::abs(b.value);
    });
    TextTable table({Align::left, Align::right, Align::right, Align::left});
    for (std::size_t j = 0; j < std::min(kShownParts, parts.size()); ++j) {
      const bool next = follows != nullptr && follows->kind == WhyStep::Kind::head &&
                        parts[j] == Writer{WriterKind::head, follows->head.layer,
                                           follows->head.head, level.reading.stack};
      table.add({"   " + inWords(parts[j], config()), fmt::format("{:+.4f}", parts[j].value),
                 share(parts[j].value, level.value), next ? "followed" : ""});
    }
    addRest(table, parts, [](const WrittenPart& part) { return part.value; });
    table.print(out);
  }

  void printSources(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    const model::HeadSources& sources = *level.sources;
    const WhyStep* follows = stepFrom(i);
    const Stack stack = level.reading.stack;
    out << fmt::format("{} at {}, token by token: sum {:+.4f} = {:+.4f}{}\n",
                       headInWords(sources.head, stack), placeInWords(level.reading.place, stack),
                       level.sum, level.value, shareSoFar(level));
    std::vector<Index> order(sources.values.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
    const auto valueAt = [&](Index j) { return sources.values[static_cast<std::size_t>(j)]; };
    std::ranges::stable_sort(
        order, [&](Index a, Index b) { return std::abs(valueAt(a)) > std::abs(valueAt(b)); });
    TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
    table.add({"   token", "weight", "adds", "share", ""});
    for (std::size_t j = 0; j < std::min(kShownParts, order.size()); ++j) {
      const Index place = order[j];
      table.add({"   " + placeInWords(place, sources.tokens),
                 fmt::format("{:.3f}", sources.weights[static_cast<std::size_t>(place)]),
                 fmt::format("{:+.4f}", valueAt(place)), share(valueAt(place), level.value),
                 follows != nullptr && follows->source == place ? "followed" : ""});
    }
    addRest(table, order, valueAt, 2);
    table.print(out);
    if (const auto& without = chain_.without[i]) {
      out << fmt::format(
          "   without this part: {:+.4f}, patterns and norms held; without all that the head gives "
          "here, and what follows run again, the {} changes by {:+.4f}\n",
          without->frozen, level.ofScore ? "score" : "logit", without->total);
    }
  }

  void printScore(std::ostream& out, const ScoreParts& score, const WhyStep* follows) const {
    const Stack keys = keysOf(*chain_.trace, score.stack, score.head.layer);
    out << fmt::format("why {} looks from {} at {}: score {:+.4f}, sum of {} pairs",
                       headInWords(score.head, score.stack), placeInWords(score.query, score.stack),
                       placeInWords(score.key, keys), score.score,
                       score.queries.size() * score.keys.size());
    if (score.bias != 0.0) {
      out << fmt::format(" {} {:.4f} for the places", score.bias < 0.0 ? "minus" : "plus",
                         std::abs(score.bias));
    }
    const model::ContentAndPosition sums = contentAndPosition(score);
    out << fmt::format(
        " {:+.4f}\n   content {:+.4f}, content with position {:+.4f}, position "
        "{:+.4f}\n",
        score.sum, sums.content, sums.mixed, sums.position);
    const std::vector<Entry> entries = entriesOf(score);
    TextTable table({Align::left, Align::left, Align::right, Align::left});
    table.add({"   query's writer", "key's writer", "adds", ""});
    for (std::size_t j = 0; j < std::min(kShownParts, entries.size()); ++j) {
      const Entry& entry = entries[j];
      const bool next =
          follows != nullptr && follows->query == entry.query && follows->key == entry.key;
      table.add({"   " + inWords(entry.query, config()), inWords(entry.key, config()),
                 fmt::format("{:+.4f}", entry.value), next ? "followed" : ""});
    }
    double rest = 0.0;
    for (std::size_t j = kShownParts; j < entries.size(); ++j) rest += entries[j].value;
    if (entries.size() > kShownParts) {
      table.add({fmt::format("   {} others", entries.size() - kShownParts), "",
                 fmt::format("{:+.4f}", rest), ""});
    }
    table.print(out);
  }

  /// Adds a row for the parts that are not shown; `before`: the column of their sum.
  template <typename Part, typename Value>
  static void addRest(TextTable& table, const std::vector<Part>& parts, const Value& value,
                      std::size_t column = 1) {
    if (parts.size() <= kShownParts) return;
    double rest = 0.0;
    for (std::size_t j = kShownParts; j < parts.size(); ++j) rest += value(parts[j]);
    std::vector<std::string> cells(column + 3);
    cells.front() = fmt::format("   {} others", parts.size() - kShownParts);
    cells[column] = fmt::format("{:+.4f}", rest);
    table.add(std::move(cells));
  }

  Chain chain_;
  formats::TokenizerPtr names_, sourceNames_;  // of the text that is predicted, and of the source
};

Json whyJsonOf(const WhyOptions& options, OpenModels& models) {
  return Telling(followed(options, models), models, options.directory).json();
}

/// The flags with a text of a file in the place of their own.
WhyOptions withText(WhyOptions options, const formats::TextOfSet& text) {
  setText(options.text, options.ids, text.text);
  options.asked = withAnswers(std::move(options.asked), text.answers);
  return options;
}

void runWhyCommand(const WhyOptions& options, OpenModels& models, std::ostream& out) {
  if (!options.jsonLines.empty()) {
    const auto texts = textsOfSet(options.jsonLines, options.templates, models, options.directory);
    return printJsonLines(out, texts, "why", [&](const formats::TextOfSet& text) {
      return whyJsonOf(withText(options, text), models);
    });
  }
  if (options.json) return printJson(out, whyJsonOf(options, models));
  Telling(followed(options, models), models, options.directory).print(out);
}

}  // namespace

Command addWhy(CLI::App& app, Context& context) {
  CLI::App* sub = app.add_subcommand(
      "why", "follows a predicted word back to the words that were read, by exact sums");
  auto options = std::make_shared<WhyOptions>();
  WhyOptions& o = *options;
  addModelFlags(*sub, {o.directory, o.adapter, o.text, o.ids}, context);
  addTargetFlags(*sub, o.target);
  addAskedWord(*sub, o.asked);
  auto* depth =
      sub->add_option("--depth", o.depth, "the number of steps, 4 unless given; 0: the parts alone")
          ->check(CLI::Range(Index{0}, Index{64}))
          ->type_name("N");
  sub->add_option("--follow", o.follow, "these steps, not the largest parts: h1.2 s10 k:t:h0.3 v9")
      ->excludes(depth)
      ->type_name("STEPS");
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
