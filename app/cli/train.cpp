// The train command: a small model learns a task; prints its final answers, and the relation that
// each head has learned.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/file_flags.h"
#include "app/cli/output.h"
#include "app/cli/train_options.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/formats/language_run.h"
#include "core/formats/run_state.h"
#include "core/formats/shape_run.h"
#include "core/formats/trained_model.h"
#include "core/formats/training_curves.h"
#include "core/formats/training_run.h"
#include "core/platform/process.h"
#include "core/tensor/gemm.h"

namespace headscope::cli {
namespace {
using training::Evaluation;
using training::Role;
using training::Trainer;
using training::TrainingSettings;

/// Creates a new run, or continues a saved one.
std::unique_ptr<Trainer> runFrom(const TrainOptions& o) {
  const Index budget = defaultMemoryBudget();
  if (o.from.empty()) {
    if (o.task.empty()) {
      throw UserError("nothing to train: give --task NAME (--help lists them), or --from DIR");
    }
    const training::Task& task = training::taskFromString(o.task, ", stories, text, shapes");
    TrainingSettings settings = settingsOf(task);
    takeGiven(o, settings);
    return std::make_unique<Trainer>(task, settings, budget);
  }
  auto run = formats::loadRun(o.from, budget);
  changeGiven(o, *run);
  return run;
}

Json trainJson(const Trainer& run, double msPerStep) {
  const Evaluation& last = run.evaluations().back();
  Json loss = Json::emptyList();
  for (const Evaluation& e : run.evaluations()) {
    loss.push_back(Json::List{e.step, numberJson(e.losses.loss)});
  }
  Json accuracy = Json::emptyObject();
  for (std::size_t q = 0; q < last.losses.questions.size(); ++q) {
    accuracy[run.task().questions[q].name] = numberJson(last.losses.questions[q].accuracy);
  }
  Json relations = Json::emptyList();
  for (std::size_t r = 0; r < last.roles.relations.size(); ++r) {
    const Role& role = last.roles.relations[r];
    const std::optional<Index> found = run.foundAt(r);
    relations.push_back({{"name", run.task().relations[r].name},
                         {"layer", role.head ? Json(role.head->layer) : Json()},
                         {"head", role.head ? Json(role.head->head) : Json()},
                         {"mass", role.head ? numberJson(role.mass) : Json()},
                         {"found_at_step", found ? Json(*found) : Json()}});
  }
  Json similarity = Json::emptyList();
  for (const auto& layer : last.roles.layers) similarity.push_back(rowsJson(layer.similarity));
  return {{"task", run.task().id},
          {"parameters", parameterCount(run.task(), run.settings().model)},
          {"steps", run.stepsTaken()},
          {"loss", std::move(loss)},
          {"accuracy", std::move(accuracy)},
          {"relations", std::move(relations)},
          {"similarity", std::move(similarity)},
          {"ms_per_step", numberJson(msPerStep)}};
}

void printRun(std::ostream& out, const Trainer& run, double msPerStep) {
  const TrainingSettings& s = run.settings();
  const Evaluation& last = run.evaluations().back();
  out << fmt::format("{}: {}\n", run.task().title, run.task().words);
  out << fmt::format(
      "{} layer{}, d_model {}, {} head{}, {} parameters; batch {}, learning rate {:g}, seed {}\n",
      s.model.layers, s.model.layers == 1 ? "" : "s", s.model.dModel, s.model.heads,
      s.model.heads == 1 ? "" : "s", withThousands(parameterCount(run.task(), s.model)), s.batch,
      s.optimiser.learningRate, s.seed);
  out << fmt::format("step {}: loss {:.3f}, {:.3f} at the start; {:.2f} ms a step\n\n",
                     withThousands(run.stepsTaken()), last.losses.loss,
                     run.evaluations().front().losses.loss, msPerStep);
  TextTable questions({Align::left, Align::right, Align::right, Align::left});
  questions.add({"question", "accuracy", "solved from", "asks for"});
  for (std::size_t q = 0; q < last.losses.questions.size(); ++q) {
    const training::Question& question = run.task().questions[q];
    questions.add({std::string(question.name),
                   fmt::format("{:.3f}", last.losses.questions[q].accuracy),
                   fmt::format("{:.2f}", question.solved), std::string(question.words)});
  }
  questions.print(out);
  out << '\n';
  TextTable relations({Align::left, Align::left, Align::right, Align::left, Align::left});
  relations.add({"relation", "head", "mass", "found at step", "looks at"});
  for (std::size_t r = 0; r < last.roles.relations.size(); ++r) {
    const Role& role = last.roles.relations[r];
    const std::optional<Index> found = run.foundAt(r);
    relations.add(
        {std::string(run.task().relations[r].name), role.head ? headInWords(*role.head) : "none",
         role.head ? fmt::format("{:.2f}", role.mass) : "–",
         found ? std::to_string(*found) : "not found", std::string(run.task().relations[r].words)});
  }
  relations.print(out);
}

void runTrain(const TrainOptions& options, std::ostream& out) {
  FileFlags files;
  files.writes("--log", options.log, {".csv"});
  files.writes("--keep", options.language.keep, {".safetensors"});
  files.check();
  if (!options.from.empty()) {
    refuseFixed({{"--task", !options.task.empty()},
                 {"--layers", options.layers.has_value()},
                 {"--d-model", options.dModel.has_value()},
                 {"--heads", options.heads.has_value()},
                 {"--seed", options.seed.has_value()}});
  }
  const std::string task = options.from.empty() ? options.task : formats::taskOfRun(options.from);
  if (formats::isLanguageTask(task)) return runLanguage(options, out);
  for (const auto& [flag, given] : languageFlags(options.language)) {
    if (given) {
      throw UserError(fmt::format("{} belongs to a language model: give it with --task {}", flag,
                                  isFlagOfText(flag) ? "text" : "stories or --task text"));
    }
  }
  if (task == formats::kShapesTask) return runShapes(options, out);
  const std::unique_ptr<Trainer> run = runFrom(options);
  prepareGemm();
  ExecutionContext execution;
  execution.threads = options.threads;
  const double msPerStep = trainAndWrite(
      *run, options, execution, [&](const std::string& folder) { formats::saveRun(folder, *run); },
      [&](const std::string& folder) { formats::saveAsModel(folder, run->model()); },
      [&] { return formats::curvesCsv(run->task(), run->records(), run->evaluations()); }, [] {});
  if (options.json) return printJson(out, withSchema("train", trainJson(*run, msPerStep)));
  printRun(out, *run, msPerStep);
  printWritten(out, options);
}

std::string taskNames() {
  std::string names;
  for (const training::Task& task : training::allTasks()) {
    names += fmt::format("{}, ", task.id);
  }
  return names + "stories, text, shapes";
}

}  // namespace

void refuseFixed(std::initializer_list<GivenFlag> flags) {
  for (const auto& [flag, given] : flags) {
    if (given) {
      throw UserError(fmt::format("{} is fixed by the saved run: leave it out with --from", flag));
    }
  }
}

std::string headInWords(const HeadOfLayer& head) {
  return fmt::format("layer {}, head {}", head.layer + 1, head.head + 1);
}

MostMissed mostMissed(const std::vector<double>& withoutEach, Index heads) {
  const auto least = std::ranges::min_element(withoutEach) - withoutEach.begin();
  return {{least / heads, least % heads}, withoutEach[static_cast<std::size_t>(least)]};
}

Json missedJson(const MostMissed& missed, double right) {
  if (missed.right >= right) return {};
  return {
      {"layer", missed.head.layer}, {"head", missed.head.head}, {"accuracy_without", missed.right}};
}

void printWritten(std::ostream& out, const TrainOptions& options) {
  if (!options.save.empty()) out << "\nsaved: " << options.save << '\n';
  if (!options.saveModel.empty()) out << "\nmodel: " << options.saveModel << '\n';
  if (!options.log.empty()) out << "log: " << options.log << '\n';
}

TrainProgress::~TrainProgress() {
  if (terminal_ && shown_) std::cerr << "\r\033[K" << std::flush;
}

void TrainProgress::show(Index step, Index steps, double loss) {
  const double now = clockSeconds();
  if (!begun_) {
    begun_ = true;
    terminal_ = platform::errorsGoToTerminal();
    printed_ = now;
  }
  if (now - printed_ < (terminal_ ? 0.1 : 5.0)) return;
  printed_ = now;
  std::cerr << fmt::format("{}step {} of {}, loss {:.3f}{}", terminal_ ? "\r" : "",
                           withThousands(step), withThousands(steps), loss, terminal_ ? "  " : "\n")
            << std::flush;
  shown_ = true;
}

Command addTrain(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("train", "trains a small model on a task and shows which head does what");
  auto o = std::make_shared<TrainOptions>();
  sub->add_option("--task", o->task, taskNames())->check(notEmpty)->type_name("NAME");
  const char* model = "Model (the task's own without any)";
  const auto whole = [&](const char* flag, std::optional<Index>& value, const char* about,
                         const char* group) { addWhole(*sub, flag, value, about)->group(group); };
  whole("--layers", o->layers, "of attention, 1 to 8; of a language or image model, 1 to 24",
        model);
  whole("--d-model", o->dModel, "width of the model", model);
  whole("--heads", o->heads, "of each layer", model);
  const char* training = "Training";
  whole("--batch", o->batch, "examples of a step", training);
  sub->add_option("--lr", o->rate, "learning rate, of Adam")
      ->check(notNumber)
      ->type_name("X")
      ->group(training);
  whole("--steps", o->steps, "total number of steps, including those of a saved run", training);
  sub->add_option("--seed", o->seed, "seed of the initial weights and of the examples (default 1)")
      ->check(notSeed)
      ->type_name("N")
      ->group(training);
  addThreads(*sub, o->threads)->group(training);
  addLanguageOptions(*sub, o->language);
  const char* files = "Files";
  const auto path = [&](const char* flag, std::string& value, const char* about, const char* type) {
    sub->add_option(flag, value, about)->check(notEmpty)->type_name(type)->group(files);
  };
  path("--save", o->save, "save the run in this folder", "DIR");
  path("--save-model", o->saveModel,
       "write the trained weights as a model that 'model' and the window open", "DIR");
  path("--from", o->from, "continue a saved run exactly", "DIR");
  path("--log", o->log, "write the curves, one row for each step", "FILE.csv");
  sub->add_flag("--json", o->json, "print JSON");
  return {sub, [o](std::ostream& out) { runTrain(*o, out); }};
}

}  // namespace headscope::cli
