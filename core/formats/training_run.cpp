#include "core/formats/training_run.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/formats/run_state.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using namespace headscope::training;

constexpr const char* kGradientLengths = "gradient_lengths";  // (steps, heads, 5)
constexpr Index kLengths = 5;

Json settingsJson(const TrainingSettings& s) {
  Json json{{"layers", s.model.layers},
            {"d_model", s.model.dModel},
            {"heads", s.model.heads},
            {"causal", s.model.causal},
            {"embedding_scale", s.model.embeddingScale},
            {"scale", s.model.scale}};
  for (auto& [name, value] : optimiserFields(s.optimiser)) json[name] = std::move(value);
  json["batch"] = s.batch;
  json["steps"] = s.steps;
  json["seed"] = s.seed;
  json["evaluate_every"] = s.evaluateEvery;
  json["snapshot_bytes"] = s.snapshotBytes;
  return json;
}

Json roleJson(const Role& role) {
  return {{"layer", role.head ? Json(role.head->layer) : Json()},
          {"head", role.head ? Json(role.head->head) : Json()},
          {"mass", role.mass},
          {"found", role.found}};
}

Json evaluationJson(const Evaluation& evaluation) {
  Json questions = Json::emptyList();
  for (const Answered& q : evaluation.losses.questions) {
    questions.push_back({{"asked", q.asked}, {"loss", q.loss}, {"accuracy", q.accuracy}});
  }
  Json layers = Json::emptyList();
  for (const LayerRoles& layer : evaluation.roles.layers) {
    layers.push_back({{"mass", layer.mass},
                      {"entropy", layer.entropy},
                      {"similarity", layer.similarity.values},
                      {"undefined", layer.similarity.why}});
  }
  Json relations = Json::emptyList();
  for (const Role& role : evaluation.roles.relations) relations.push_back(roleJson(role));
  return {{"step", evaluation.step},
          {"loss", evaluation.losses.loss},
          {"questions", std::move(questions)},
          {"layers", std::move(layers)},
          {"relations", std::move(relations)}};
}

Json runJson(const Trainer& run, const Trainer::State& state) {
  Json curve = Json::emptyList();
  for (const StepRecord& r : state.records) {
    curve.push_back(std::vector<double>{r.loss, r.gradientLength});
  }
  Json evaluations = Json::emptyList();
  for (const Evaluation& e : state.evaluations) evaluations.push_back(evaluationJson(e));
  Json json = Json::objectOf(runFields(run.task().id));
  json["settings"] = settingsJson(run.settings());
  json["steps_taken"] = state.stepsTaken;
  json["training_ms"] = state.trainingMs;
  json["curve"] = std::move(curve);
  json["evaluations"] = std::move(evaluations);
  return json;
}

std::vector<NamedTensor> tensorsOf(const Trainer& run, const Trainer::State& state) {
  std::vector<NamedTensor> tensors = formats::tensorsOf(run.model().parameters());
  if (state.records.empty()) return tensors;
  std::vector<float> lengths;
  for (const StepRecord& record : state.records) {
    for (const HeadGradients& h : record.heads) {
      lengths.insert(lengths.end(), {h.rawScores, h.wQ, h.wK, h.wV, h.wO});
    }
  }
  const auto steps = std::ssize(state.records);
  tensors.push_back(
      {kGradientLengths,
       Tensor::fromValues({steps, std::ssize(state.records.front().heads), kLengths}, lengths)});
  return tensors;
}

TrainingSettings settingsFrom(const JsonField& field) {
  TrainingSettings s;
  s.model.layers = field.at("layers").whole();
  s.model.dModel = field.at("d_model").whole();
  s.model.heads = field.at("heads").whole();
  s.model.causal = field.at("causal").flag();
  s.model.embeddingScale = field.at("embedding_scale").number();
  s.model.scale = field.at("scale").flag();
  s.optimiser = optimiserFrom(field);
  s.batch = field.at("batch").whole();
  s.steps = field.at("steps").whole();
  s.seed = field.at("seed").seed();
  s.evaluateEvery = field.at("evaluate_every").whole();
  s.snapshotBytes = field.at("snapshot_bytes").whole();
  return s;
}

Role roleFrom(const JsonField& field, const ModelSettings& model) {
  Role role;
  const auto layer = field.find("layer");
  const auto head = field.find("head");
  if (layer || head) {
    role.head = HeadOfLayer{field.at("layer").whole(), field.at("head").whole()};
    if (role.head->layer < 0 || role.head->layer >= model.layers || role.head->head < 0 ||
        role.head->head >= model.heads) {
      field.fail("names a head that the model does not have");
    }
  }
  role.mass = field.at("mass").number();
  role.found = field.at("found").flag();
  return role;
}

Evaluation evaluationFrom(const JsonField& field, const Task& task, const ModelSettings& model) {
  const auto heads = static_cast<std::size_t>(model.heads);
  Evaluation evaluation;
  evaluation.step = field.at("step").whole();
  evaluation.losses.loss = field.at("loss").number();
  for (const JsonField& q : itemsOf(field.at("questions"), task.questions.size())) {
    evaluation.losses.questions.push_back(
        {q.at("asked").whole(), q.at("loss").number(), q.at("accuracy").number()});
  }
  for (const JsonField& of : itemsOf(field.at("layers"), static_cast<std::size_t>(model.layers))) {
    LayerRoles layer;
    for (const JsonField& head : itemsOf(of.at("mass"), heads)) {
      layer.mass.push_back(numbersFrom(head, task.relations.size()));
    }
    layer.entropy = numbersFrom(of.at("entropy"), heads);
    layer.similarity.heads = model.heads;
    layer.similarity.why = of.at("undefined").text();
    if (!of.at("similarity").items().empty()) {
      layer.similarity.values = numbersFrom(of.at("similarity"), heads * heads);
    }
    evaluation.roles.layers.push_back(std::move(layer));
  }
  for (const JsonField& r : itemsOf(field.at("relations"), task.relations.size())) {
    evaluation.roles.relations.push_back(roleFrom(r, model));
  }
  return evaluation;
}

void readGradientLengths(const SafetensorsFile& file, const ModelSettings& model,
                         std::vector<StepRecord>& records) {
  if (records.empty()) return;
  const Index heads = model.layers * model.heads;
  const Tensor lengths = readTensor(file, kGradientLengths, {std::ssize(records), heads, kLengths});
  const float* at = lengths.data();
  for (StepRecord& record : records) {
    for (Index head = 0; head < heads; ++head, at += kLengths) {
      record.heads.push_back({at[0], at[1], at[2], at[3], at[4]});
    }
  }
}

std::unique_ptr<Trainer> runFrom(const JsonField& file, const fs::path& folder,
                                 Index memoryBudgetBytes) {
  const std::string& name = file.file();
  const Task* task = nullptr;
  try {
    task = &taskFromString(file.at("task").text());
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", name, error.what()));
  }
  const JsonField settings = file.at("settings");
  auto run = std::make_unique<Trainer>(*task, settingsFrom(settings), memoryBudgetBytes);
  const ModelSettings& model = run->settings().model;

  Trainer::State state;
  state.stepsTaken = file.at("steps_taken").whole();
  if (state.stepsTaken < 0) file.at("steps_taken").fail("must be 0 or more");
  state.trainingMs = file.at("training_ms").number();
  for (const JsonField& step :
       itemsOf(file.at("curve"), static_cast<std::size_t>(state.stepsTaken))) {
    const std::vector<double> pair = numbersFrom(step, 2);
    state.records.push_back({std::ssize(state.records) + 1, pair[0], pair[1], {}});
  }
  for (const JsonField& evaluation : file.at("evaluations").items()) {
    state.evaluations.push_back(evaluationFrom(evaluation, *task, model));
  }
  const SafetensorsFile tensors = stateOf(file.at("tensors"), folder);
  readGradientLengths(tensors, model, state.records);
  run->resume(std::move(state));
  const bool adam = run->settings().optimiser.method == OptimiserSettings::Method::adam;
  readParameters(tensors, run->parameters(), adam && run->stepsTaken() > 0);
  return run;
}

}  // namespace

void saveRun(const fs::path& folder, const Trainer& run) {
  const Trainer::State state = run.state();
  writeRun(folder, runJson(run, state), tensorsOf(run, state));
}

std::unique_ptr<Trainer> loadRun(const fs::path& folder, Index memoryBudgetBytes) {
  return readRun(folder,
                 [&](const JsonField& file) { return runFrom(file, folder, memoryBudgetBytes); });
}

}  // namespace headscope::formats
