// learn: weights of one layer that learn where to look in sentences, as a file.
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
#include "app/cli/output.h"
#include "core/formats/document_json.h"
#include "core/formats/learned_weights.h"
#include "core/training/head_roles.h"

namespace headscope::cli {
namespace {

using formats::FileFloat;
using formats::Json;
using training::HeadRoles;
using training::LayerLearner;
using training::WordQuestionInfo;
using Align = Table::Align;

constexpr Index kTestSentences = 500;

struct LearnOptions {
  ConfigOptions config;
  std::uint64_t seed = 1;
  std::optional<Index> steps;
  int threads = 0;
  std::string out;
  bool half = false;
  bool json = false;
};

/// What came out, on sentences it has not seen.
struct Learned {
  AttentionConfig config;
  Index steps = 0;
  double loss = 0.0, msPerStep = 0.0;
  std::array<double, training::kWordQuestions> right{};
  HeadRoles roles;
};

std::vector<Index> headsAsked(const WordQuestionInfo& question, const AttentionConfig& config) {
  std::vector<Index> heads;
  for (Index head = 0; head < config.numHeads; ++head) {
    for (const auto asked : training::questionsOfHead(head, config)) {
      if (asked == question.question) heads.push_back(head);
    }
  }
  return heads;
}

double onPartners(const Learned& learned, Index head, const WordQuestionInfo& question) {
  return learned.roles
      .onPartners[static_cast<std::size_t>(head)][static_cast<std::size_t>(question.question)];
}

void printLearned(std::ostream& out, const Learned& learned) {
  Table table({Align::left, Align::left, Align::right, Align::left});
  table.add({"question", "asked of every word", "right", "weight on the answer, by head"});
  for (const WordQuestionInfo& question : training::wordQuestions()) {
    std::vector<std::string> heads;
    for (const Index head : headsAsked(question, learned.config)) {
      heads.push_back(
          fmt::format("head {}: {:.2f}", head + 1, onPartners(learned, head, question)));
    }
    const auto q = static_cast<std::size_t>(question.question);
    table.add({std::string(question.name), std::string(question.words),
               fmt::format("{:.0f} %", 100.0 * learned.right[q]),
               fmt::format("{}", fmt::join(heads, ", "))});
  }
  table.print(out);
  out << fmt::format(
      "right: of the last batches' words that have an answer; weights: on {} other sentences, "
      "the largest {:.3f}\n",
      kTestSentences, learned.roles.largestWeight);
}

Json learnedJson(const LearnOptions& options, const Learned& learned) {
  Json questions = Json::emptyList();
  for (const WordQuestionInfo& question : training::wordQuestions()) {
    const auto q = static_cast<std::size_t>(question.question);
    questions.push_back({{"name", question.name},
                         {"words", question.words},
                         {"right", numberJson(learned.right[q])},
                         {"heads", headsAsked(question, learned.config)}});
  }
  Json heads = Json::emptyList();
  for (Index head = 0; head < learned.config.numHeads; ++head) {
    Json weights = Json::emptyObject();
    for (const WordQuestionInfo& question : training::wordQuestions()) {
      weights[question.name] = numberJson(onPartners(learned, head, question));
    }
    heads.push_back({{"head", head}, {"weight_on_partner", std::move(weights)}});
  }
  return {{"config", formats::configJson(learned.config)},
          {"seed", options.seed},
          {"steps", learned.steps},
          {"loss", numberJson(learned.loss)},
          {"questions", std::move(questions)},
          {"heads", std::move(heads)},
          {"largest_weight", numberJson(learned.roles.largestWeight)},
          {"file", options.out.empty() ? Json(nullptr) : Json(options.out)},
          {"ms_per_step", numberJson(learned.msPerStep)}};
}

/// The sizes of weights; those of an input say nothing of them.
void refuseInputSizes(const ConfigOptions& o) {
  const char* flag = o.seqLen      ? "--seq-len"
                     : o.memoryLen ? "--memory-len"
                     : o.batch     ? "--batch"
                                   : nullptr;
  if (flag == nullptr) return;
  throw UserError(
      fmt::format("{} is about an input, and `learn` draws its own sentences: leave it out", flag));
}

void runLearn(const LearnOptions& options, std::ostream& out) {
  refuseInputSizes(options.config);
  AttentionConfig config = configFrom(options.config);
  config.batch = 1;
  config.memoryLen = 0;
  config.mask = {};
  requireValid(config);
  training::LearningSettings settings;
  if (options.steps) settings.steps = *options.steps;
  if (settings.steps < 1) throw UserError("--steps must be at least 1: leave it out for the usual");
  if (options.half && options.out.empty()) {
    throw UserError("--f16 says how the file is written: give --out FILE as well");
  }
  Execution execution;
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
    formats::saveLearned(options.out, weights, config, options.seed, settings.steps,
                         options.half ? FileFloat::f16 : FileFloat::f32);
  }
  const Learned learned{
      config,
      settings.steps,
      learner.loss(),
      ms,
      learner.right(),
      measureRoles(weights, config, training::heldOutSentences(kTestSentences), execution)};
  if (options.json) return printJson(out, learnedJson(options, learned));
  printLearned(out, learned);
  if (!options.out.empty()) out << fmt::format("weights: {}\n", options.out);
}

}  // namespace

Command addLearn(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("learn", "weights that learn where to look in sentences, as a file");
  auto options = std::make_shared<LearnOptions>();
  addConfigOptions(*sub, options->config);
  const char* group = "Learning";
  sub->add_option("--seed", options->seed, "of the start and the sentences (default 1)")
      ->check(notWhole)
      ->type_name("N")
      ->group(group);
  sub->add_option("--steps", options->steps, "batches of 32 sentences (default 120)")
      ->check(notWhole)
      ->type_name("N")
      ->group(group);
  sub->add_option("--threads", options->threads, "at most; the result is the same on any number")
      ->check(CLI::Range(0, kMostThreads))
      ->type_name("N")
      ->group(group);
  sub->add_option("--out", options->out, "the weights' file, in nn.MultiheadAttention's names")
      ->check(notEmpty)
      ->type_name("FILE")
      ->group(group);
  sub->add_flag("--f16", options->half, "write half-precision numbers")->group(group);
  sub->add_flag("--json", options->json, "print JSON")->group(group);
  return {sub, [options](std::ostream& out) { runLearn(*options, out); }};
}

}  // namespace headscope::cli
