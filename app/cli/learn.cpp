// The learn command: writes a file with the weights of one layer, which learns relations in
// sentences or in series.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/output.h"
#include "core/attention/config.h"
#include "core/formats/document_json.h"
#include "core/input/training_domain.h"
#include "core/tensor/safetensors.h"
#include "core/training/head_roles.h"
#include "core/training/learned_layer.h"
#include "core/training/learned_weights.h"

namespace headscope::cli {
namespace {
using training::AskedQuestion;
using training::HeadRoles;
using training::LayerLearner;

constexpr Index kTestSentences = 500;
constexpr Index kTestSeries = 200;

struct LearnOptions {
  ConfigOptions config;
  std::uint64_t seed = 1;
  std::optional<Index> steps, channels;
  int threads = 0;
  std::string out;
  FileFloat as = FileFloat::f32;  // the type of the written numbers
  bool json = false;
};

/// The results on unseen sentences or series.
struct Learned {
  AttentionConfig config;
  TrainingDomain domain;
  Index steps = 0;
  double loss = 0.0, msPerStep = 0.0;
  std::array<double, training::kLayerQuestions> right{};
  HeadRoles roles;
};

std::vector<Index> headsAsked(const AskedQuestion& question, const AttentionConfig& config) {
  std::vector<Index> heads;
  for (Index head = 0; head < config.numHeads; ++head) {
    for (const std::size_t asked : training::askedOfHead(head, config)) {
      if (asked == question.number) heads.push_back(head);
    }
  }
  return heads;
}

double onPartners(const Learned& learned, Index head, const AskedQuestion& question) {
  return learned.roles.onPartners[static_cast<std::size_t>(head)][question.number];
}

void printLearned(std::ostream& out, const Learned& learned) {
  const bool series = learned.domain.series();
  // several steps answer most questions of a series, so none of them is highlighted
  std::vector<Align> columns{Align::left, Align::left, Align::left};
  std::vector<std::string> header{"question", series ? "about every step" : "about every word",
                                  "weight on the answer, by head"};
  if (!series) {
    columns.insert(columns.begin() + 2, Align::right);
    header.insert(header.begin() + 2, "right");
  }
  TextTable table(columns);
  table.add(header);
  for (const AskedQuestion& question : training::questionsOf(learned.domain)) {
    std::vector<std::string> heads;
    for (const Index head : headsAsked(question, learned.config)) {
      heads.push_back(
          fmt::format("head {}: {:.2f}", head + 1, onPartners(learned, head, question)));
    }
    std::vector<std::string> row{std::string(question.name), std::string(question.words),
                                 fmt::format("{}", fmt::join(heads, ", "))};
    if (!series) {
      row.insert(row.begin() + 2, fmt::format("{:.0f} %", 100.0 * learned.right[question.number]));
    }
    table.add(row);
  }
  table.print(out);
  if (!series) out << "right: of the last batches' words that have an answer; ";
  out << fmt::format("weights: on {} other {}, the largest {:.3f}\n",
                     series ? kTestSeries : kTestSentences, series ? "series" : "sentences",
                     learned.roles.largestWeight);
}

Json learnedJson(const LearnOptions& options, const Learned& learned) {
  Json questions = Json::emptyList();
  const std::vector<AskedQuestion> all = training::questionsOf(learned.domain);
  for (const AskedQuestion& question : all) {
    Json entry{{"name", question.name},
               {"words", question.words},
               {"heads", headsAsked(question, learned.config)}};
    if (!learned.domain.series()) entry["right"] = numberJson(learned.right[question.number]);
    questions.push_back(std::move(entry));
  }
  Json heads = Json::emptyList();
  for (Index head = 0; head < learned.config.numHeads; ++head) {
    Json weights = Json::emptyObject();
    for (const AskedQuestion& question : all) {
      weights[question.name] = numberJson(onPartners(learned, head, question));
    }
    heads.push_back({{"head", head}, {"weight_on_partner", std::move(weights)}});
  }
  return {{"config", formats::configJson(learned.config)},
          {"learned_from", inWords(learned.domain)},
          {"seed", options.seed},
          {"steps", learned.steps},
          {"loss", numberJson(learned.loss)},
          {"questions", std::move(questions)},
          {"heads", std::move(heads)},
          {"largest_weight", numberJson(learned.roles.largestWeight)},
          {"file", options.out.empty() ? Json(nullptr) : Json(options.out)},
          {"ms_per_step", numberJson(learned.msPerStep)}};
}

/// Throws UserError for the flags of input sizes, which do not affect the weights.
void refuseInputSizes(const ConfigOptions& o) {
  const char* flag = o.seqLen      ? "--seq-len"
                     : o.memoryLen ? "--memory-len"
                     : o.batch     ? "--batch"
                                   : nullptr;
  if (flag == nullptr) return;
  throw UserError(
      fmt::format("{} gives an input, and `learn` generates its own: leave it out", flag));
}

void runLearn(const LearnOptions& options, std::ostream& out) {
  FileFlags files;
  files.writes("--out", options.out, {".safetensors"});
  files.check();
  refuseInputSizes(options.config);
  AttentionConfig config = configFrom(options.config);
  config.batch = 1;
  config.memoryLen = 0;
  config.mask = {};
  requireValid(config);
  if (options.channels && *options.channels < 1) {
    throw UserError("--channels must be at least 1: leave it out to learn from sentences");
  }
  const TrainingDomain domain{options.channels.value_or(0)};
  training::LearningSettings settings = training::usualSettings(domain);
  if (options.steps) settings.steps = *options.steps;
  if (settings.steps < 1) throw UserError("--steps must be at least 1: leave it out for the usual");
  if (options.as != FileFloat::f32 && options.out.empty()) {
    throw UserError(fmt::format("--{} needs a file to write: give --out FILE as well",
                                options.as == FileFloat::f16 ? "f16" : "bf16"));
  }
  ExecutionContext execution;
  execution.threads = options.threads;

  LayerLearner learner(config, options.seed, settings);
  const double start = clockSeconds();
  while (!learner.done()) {
    learner.step(execution);
    tellLearning(learner);
  }
  const double ms = millisecondsSince(start) / static_cast<double>(settings.steps);
  const Weights weights = learner.weights();
  if (!options.out.empty()) {
    formats::saveLearned(options.out, weights, config, domain, options.seed, settings.steps,
                         options.as);
  }
  const Learned learned{
      config,
      domain,
      settings.steps,
      learner.loss(),
      ms,
      learner.right(),
      domain.series()
          ? training::measureRoles(weights, config,
                                   training::heldOutSeries(kTestSeries, domain.channels), execution)
          : training::measureRoles(weights, config, training::heldOutSentences(kTestSentences),
                                   execution)};
  if (options.json) return printJson(out, withSchema("learn", learnedJson(options, learned)));
  printLearned(out, learned);
  out << (options.out.empty() ? "weights: not written; --out FILE.safetensors keeps them\n"
                              : fmt::format("weights: {}\n", options.out));
}

}  // namespace

Command addLearn(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "learn", "trains weights on generated sentences or series and writes them to a file");
  auto options = std::make_shared<LearnOptions>();
  addConfigOptions(*sub, options->config);
  const char* group = "Learning";
  addWhole(*sub, "--channels", options->channels,
           "learn from generated series of N channels instead of sentences")
      ->group(group);
  sub->add_option("--seed", options->seed,
                  "seed of the initial weights and of the training data (default 1)")
      ->check(notSeed)
      ->type_name("N")
      ->group(group);
  addWhole(*sub, "--steps", options->steps,
           "number of batches: of 24 sentences (default 160), of 12 series (default 150)")
      ->group(group);
  addThreads(*sub, options->threads, "largest number of threads; the result does not depend on it")
      ->group(group);
  sub->add_option("--out", options->out,
                  "the weights' file, with the names of nn.MultiheadAttention")
      ->check(notEmpty)
      ->type_name("FILE.safetensors")
      ->group(group);
  const auto written = [&](const char* flag, FileFloat as, const char* about) {
    return sub
        ->add_flag_callback(
            flag, [options, as] { options->as = as; }, about)
        ->group(group);
  };
  written("--bf16", FileFloat::bf16, "write numbers of 16 bits, 8 of them significant")
      ->excludes(written("--f16", FileFloat::f16, "write half-precision numbers"));
  sub->add_flag("--json", options->json, "print JSON")->group(group);
  return {sub, [options](std::ostream& out) { runLearn(*options, out); }};
}

}  // namespace headscope::cli
