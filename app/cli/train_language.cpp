// The train command for language models: a transformer learns the next words of stories or of a
// text. It prints when each question was answered, the head that looks at the deciding word, and
// the answers without that head.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/config_options.h"
#include "app/cli/output.h"
#include "app/cli/train_options.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/formats/corpora.h"
#include "core/formats/language_run.h"
#include "core/formats/training_curves.h"
#include "core/language/kept_run.h"
#include "core/language/language_trainer.h"
#include "core/language/sample.h"
#include "core/model/heads_over_texts.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using namespace headscope::language;

constexpr Index kStoryTokens = 8'000'000;
constexpr std::uint64_t kStorySeed = 1;  // of the stories; --seed is that of the run
constexpr Index kVocabulary = 4000;
constexpr Index kSampleTokens = 70;
constexpr double kSampleTemperature = 0.7;
constexpr Index kLabelledTexts = 20, kLabelledTokens = 64;

LanguageSettings languageSettingsOf(const TrainOptions& o) {
  LanguageSettings s;
  takeGiven(o, s);
  s.model.kvHeads = o.language.kvHeads.value_or(s.model.kvHeads);
  s.model.context = o.language.context.value_or(s.model.context);
  s.model.networks = !o.language.noNetworks;
  s.model.norms = !o.language.noNorms;
  s.model.rotary = o.language.rotary;
  s.warmUp = std::min(o.language.warmUp.value_or(s.warmUp), std::max<Index>(1, s.steps));
  return s;
}

CorpusPtr languageCorpusOf(const TrainOptions& o) {
  const LanguageOptions& l = o.language;
  if (o.task == "text") {
    if (l.text.empty()) throw UserError("--task text learns from a file: give --text FILE");
    const std::string cut = l.cutInto.empty() ? "words" : l.cutInto;
    return formats::textCorpus(l.text, formats::textTokensFromString(cut),
                               l.vocabulary.value_or(kVocabulary));
  }
  for (const GivenFlag& each : languageFlags(l)) {
    if (each.given && isFlagOfText(each.flag)) {
      throw UserError(
          fmt::format("{} belongs to --task text: leave it out with stories", each.flag));
    }
  }
  return formats::storyCorpus(kStorySeed, kStoryTokens);
}

/// Creates a new run, or continues a saved one.
std::unique_ptr<LanguageTrainer> languageRunOf(const TrainOptions& o) {
  const Index budget = defaultMemoryBudget();
  if (o.from.empty()) {
    const LanguageSettings settings = languageSettingsOf(o);
    checkModel(settings.model);  // before the corpus, which takes seconds
    return std::make_unique<LanguageTrainer>(languageCorpusOf(o), settings, budget);
  }
  for (const GivenFlag& each : languageFlags(o.language)) refuseFixed({each});
  auto run = formats::loadLanguageRun(o.from, budget);
  changeGiven(o, *run);
  return run;
}

/// Results that are computed once a run has ended.
struct Findings {
  std::vector<HeadSimilarity> similarity;
  std::vector<std::vector<double>> withoutEach;  // by question: right without each head
  std::string sample;
  std::vector<HeadLabel> labels;  // of a text's heads, over pieces of what was held out
};

/// The label that each head has most often on pieces of the held-out text.
std::vector<HeadLabel> labelsOf(const LanguageTrainer& run, const ExecutionContext& execution) {
  const std::vector<std::int32_t>& heldOut = run.corpus()->heldOut;
  const Index length =
      std::min<Index>({kLabelledTokens, run.settings().model.context, std::ssize(heldOut)});
  std::vector<model::TextToMeasure> texts;
  for (Index text = 0; text < kLabelledTexts; ++text) {
    const auto from = heldOut.begin() + text * (std::ssize(heldOut) - length) / kLabelledTexts;
    model::ModelInput input{{from, from + length}, {}, {}};
    for (const Index id : input.ids) {
      input.tokens.push_back(run.corpus()->tokenizer->inWords(static_cast<tokenizer::TokenId>(id)));
    }
    texts.push_back({{}, std::move(input)});
  }
  auto document = makeModelDocument(run.modelNow(), texts.front().input);
  model::TextsMeasure measure(std::move(document), std::move(texts), execution);
  while (!measure.runUnit()) {
  }
  return measure.found().value().means().labels;
}

Findings findingsOf(const LanguageTrainer& run, const ExecutionContext& execution) {
  const ScopedThreadLimit threads(threadsFor(std::numeric_limits<Index>::max(), execution.threads));
  Findings found;
  found.similarity = run.similarity(execution).value();
  for (std::size_t q = 0; q < run.evaluations().back().questions.size(); ++q) {
    found.withoutEach.push_back(rightWithoutEach(run.model(), q, execution).value());
  }
  const model::Sampling sampling{.temperature = kSampleTemperature, .topK = 0, .seed = 1};
  found.sample = sampleOf(run.modelNow(), *run.corpus(), run.corpus()->sampleBeginning,
                          kSampleTokens, sampling, execution);
  if (!run.corpus()->stories) found.labels = labelsOf(run, execution);
  return found;
}

Json languageJson(const LanguageTrainer& run, const Findings& found, double msPerStep) {
  const LanguageEvaluation& last = run.evaluations().back();
  const Index heads = run.settings().model.heads;
  Json loss = Json::emptyList();
  for (const LanguageEvaluation& e : run.evaluations()) {
    loss.push_back(Json::List{e.step, numberJson(e.heldOutLoss)});
  }
  Json accuracy = Json::emptyObject(), relations = Json::emptyList();
  for (std::size_t q = 0; q < last.questions.size(); ++q) {
    const AnsweredQuestion& answered = last.questions[q];
    const std::string_view name = storyQuestions()[q].name;
    const std::optional<Index> at = run.answeredAt(q);
    const auto own = static_cast<std::size_t>(answered.head.layer * heads + answered.head.head);
    const MostMissed missed = mostMissed(found.withoutEach[q], heads);
    accuracy[name] = answered.right;
    relations.push_back({{"name", name},
                         {"layer", answered.head.layer},
                         {"head", answered.head.head},
                         {"mass", answered.look},
                         {"found_at_step", at ? Json(*at) : Json()},
                         {"accuracy_without", found.withoutEach[q][own]},
                         {"most_missed", missedJson(missed, answered.right)}});
  }
  Json labels = Json::emptyList();
  for (std::size_t n = 0; n < found.labels.size(); ++n) {
    const HeadLabel& label = found.labels[n];
    labels.push_back({{"layer", static_cast<Index>(n) / heads},
                      {"head", static_cast<Index>(n) % heads},
                      {"label", label.title},
                      {"score", label.score ? numberJson(*label.score) : Json()},
                      {"rule", label.rule}});
  }
  Json similarity = Json::emptyList();
  for (const HeadSimilarity& layer : found.similarity) similarity.push_back(rowsJson(layer));
  return {{"task", run.corpus()->id},
          {"parameters", parameterCount(run.settings().model, run.corpus()->vocabulary)},
          {"steps", run.stepsTaken()},
          {"loss", std::move(loss)},
          {"accuracy", std::move(accuracy)},
          {"relations", std::move(relations)},
          {"labels", std::move(labels)},
          {"similarity", std::move(similarity)},
          {"sample", found.sample},
          {"ms_per_step", numberJson(msPerStep)}};
}

void printQuestions(std::ostream& out, const LanguageTrainer& run, const Findings& found) {
  const LanguageEvaluation& last = run.evaluations().back();
  if (last.questions.empty()) return;
  const Index heads = run.settings().model.heads;
  TextTable table({Align::left, Align::right, Align::left, Align::left, Align::right, Align::left,
                   Align::right, Align::left});
  table.add({"question", "right", "answered at", "looks at the word", "weight", "most missed",
             "right without", "asks for"});
  for (std::size_t q = 0; q < last.questions.size(); ++q) {
    const AnsweredQuestion& answered = last.questions[q];
    const std::optional<Index> at = run.answeredAt(q);
    const MostMissed missed = mostMissed(found.withoutEach[q], heads);
    table.add({std::string(storyQuestions()[q].name), fmt::format("{:.3f}", answered.right),
               at ? fmt::format("step {}", withThousands(*at)) : "not yet",
               headInWords(answered.head), fmt::format("{:.2f}", answered.look),
               missed.right < answered.right ? headInWords(missed.head) : "no single one",
               fmt::format("{:.3f}", missed.right), std::string(storyQuestions()[q].words)});
  }
  table.print(out);
  out << fmt::format(
      "\n\"answered\": right in {:.0f} % of {} cases that were not learned from. \"looks at the "
      "word\": the head with\nthe largest mean weight from the place of the answer to the word "
      "that "
      "decides. \"most missed\": the head\nwithout which the fewest answers are right.\n",
      100.0 * storyQuestions()[0].solved, kStoryCases);
}

void printLabels(std::ostream& out, const LanguageTrainer& run, const Findings& found) {
  if (found.labels.empty()) return;
  const Index heads = run.settings().model.heads;
  TextTable table({Align::left, Align::left, Align::right, Align::left});
  table.add({"head", "what it does most often", "score", "on held-out text"});
  for (std::size_t n = 0; n < found.labels.size(); ++n) {
    const HeadLabel& label = found.labels[n];
    table.add({headInWords({static_cast<Index>(n) / heads, static_cast<Index>(n) % heads}),
               label.title, label.score ? fmt::format("{:.2f}", *label.score) : "", label.rule});
  }
  table.print(out);
}

void printLanguageRun(std::ostream& out, const LanguageTrainer& run, const Findings& found,
                      double msPerStep) {
  const LanguageSettings& s = run.settings();
  const Corpus& corpus = *run.corpus();
  out << fmt::format("{}: the next of {} tokens; {} to learn from\n", corpus.title,
                     withThousands(corpus.vocabulary), withThousands(std::ssize(corpus.training)));
  out << fmt::format(
      "{} layer{}, d_model {}, {} head{}, {} parameters; batch {} of {} tokens, learning rate "
      "{:g}, "
      "seed {}\n",
      s.model.layers, s.model.layers == 1 ? "" : "s", s.model.dModel, s.model.heads,
      s.model.heads == 1 ? "" : "s", withThousands(parameterCount(s.model, corpus.vocabulary)),
      s.batch, withThousands(s.model.context), s.optimiser.learningRate, s.seed);
  out << fmt::format(
      "step {}: loss {:.3f} nats per token on held-out text, {:.3f} at the start; {:.1f} ms a "
      "step\n\n",
      withThousands(run.stepsTaken()), run.evaluations().back().heldOutLoss,
      run.evaluations().front().heldOutLoss, msPerStep);
  printQuestions(out, run, found);
  printLabels(out, run, found);
  out << fmt::format("\nIt writes (temperature {}): {}\n", kSampleTemperature, found.sample);
}

}  // namespace

std::vector<GivenFlag> languageFlags(const LanguageOptions& o) {
  return {{"--text", !o.text.empty()},
          {"--cut-into", !o.cutInto.empty()},
          {"--vocabulary", o.vocabulary.has_value()},
          {"--kv-heads", o.kvHeads.has_value()},
          {"--context", o.context.has_value()},
          {"--warm-up", o.warmUp.has_value()},
          {"--no-networks", o.noNetworks},
          {"--no-norms", o.noNorms},
          {"--rotary", o.rotary},
          {"--keep", !o.keep.empty()}};
}

bool isFlagOfText(std::string_view flag) {
  return flag == "--text" || flag == "--cut-into" || flag == "--vocabulary";
}

void addLanguageOptions(CLI::App& app, LanguageOptions& o) {
  const char* group = "Language model (--task stories or text)";
  app.add_option("--text", o.text, "the text to learn from, with --task text")
      ->check(notEmpty)
      ->type_name("FILE")
      ->group(group);
  app.add_option("--cut-into", o.cutInto, "the text's tokens: words (default), bpe or characters")
      ->check(notEmpty)
      ->type_name("KIND")
      ->group(group);
  addWhole(app, "--vocabulary", o.vocabulary, "most tokens of the text (default 4000)")
      ->group(group);
  addWhole(app, "--context", o.context, "tokens of a text in a batch (default 96)")->group(group);
  addWhole(app, "--kv-heads", o.kvHeads, "heads of keys and values")->group(group);
  addWhole(app, "--warm-up", o.warmUp, "steps until the learning rate is reached (default 100)")
      ->group(group);
  app.add_option("--keep", o.keep,
                 "with --task stories: write what the page Train shows of the run: at each step "
                 "that is evaluated the text it writes, the next words, and every head's attention")
      ->check(notEmpty)
      ->type_name("F.safetensors")
      ->group(group);
  app.add_flag("--no-networks", o.noNetworks, "layers of attention alone")->group(group);
  app.add_flag("--no-norms", o.noNorms, "without LayerNorm")->group(group);
  app.add_flag("--rotary", o.rotary, "rotary positions in place of learned ones")->group(group);
}

void runLanguage(const TrainOptions& options, std::ostream& out) {
  const std::string& keep = options.language.keep;
  if (!keep.empty() && (options.task != "stories" || !options.from.empty())) {
    throw UserError("--keep keeps a run on stories from its first step: give --task stories");
  }
  prepareGemm();
  const std::unique_ptr<LanguageTrainer> run = languageRunOf(options);
  ExecutionContext execution;
  execution.threads = options.threads;
  RunKeeper keeper(defaultMemoryBudget());
  const double msPerStep = trainAndWrite(
      *run, options, execution, [&](const std::string& folder) { formats::saveRun(folder, *run); },
      [&](const std::string& folder) {
        formats::saveAsModel(folder, run->model(), *run->corpus());
      },
      [&] { return formats::curvesCsv(run->records(), run->evaluations()); },
      [&] {
        if (keep.empty()) return;
        if (run->stepsTaken() == 0) run->evaluate(execution);
        keeper.look(*run, execution);
      });
  if (!keep.empty()) formats::saveKeptRun(keep, keeper.kept());
  const Findings found = findingsOf(*run, execution);
  if (options.json) {
    return printJson(out, withSchema("train", languageJson(*run, found, msPerStep)));
  }
  printLanguageRun(out, *run, found, msPerStep);
  printWritten(out, options);
}

}  // namespace headscope::cli
