#include "core/formats/training_run.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/formats/tensor_table.h"
#include "core/platform/paths.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using namespace headscope::training;

constexpr const char* kRunFormat = "headscope training run";
constexpr Index kRunVersion = 1;
constexpr std::uintmax_t kMaxRunBytes = std::uintmax_t{256} << 20;  // of run.json
constexpr const char* kGradientLengths = "gradient_lengths";        // (steps, heads, 5)
constexpr Index kLengths = 5;

constexpr std::string_view kStateBegins = "state.";
constexpr std::string_view kStateEnds = ".safetensors";

std::string stateName(std::uint64_t hash) {
  return fmt::format("{}{:016x}{}", kStateBegins, hash, kStateEnds);
}

bool isStateName(const std::string& file) {
  constexpr std::size_t kDigits = 16;
  return file.size() == kStateBegins.size() + kDigits + kStateEnds.size() &&
         file.starts_with(kStateBegins) && file.ends_with(kStateEnds) &&
         file.find_first_not_of("0123456789abcdef", kStateBegins.size()) ==
             kStateBegins.size() + kDigits;
}

std::string meanName(const Parameter& parameter) { return "adam.mean." + parameter.name; }
std::string squareName(const Parameter& parameter) { return "adam.square." + parameter.name; }

// ---- to be saved

Json settingsJson(const TrainingSettings& s) {
  const bool adam = s.optimiser.method == OptimiserSettings::Method::adam;
  return {{"layers", s.model.layers},
          {"d_model", s.model.dModel},
          {"heads", s.model.heads},
          {"causal", s.model.causal},
          {"embedding_scale", s.model.embeddingScale},
          {"scale", s.model.scale},
          {"optimiser", adam ? "adam" : "sgd"},
          {"learning_rate", s.optimiser.learningRate},
          {"beta1", s.optimiser.beta1},
          {"beta2", s.optimiser.beta2},
          {"epsilon", s.optimiser.epsilon},
          {"weight_decay", s.optimiser.weightDecay},
          {"clip", s.optimiser.clip},
          {"batch", s.batch},
          {"steps", s.steps},
          {"seed", s.seed},
          {"evaluate_every", s.evaluateEvery},
          {"snapshot_bytes", s.snapshotBytes}};
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
  return {{"format", kRunFormat},
          {"version", kRunVersion},
          {"program", HEADSCOPE_VERSION},
          {"task", run.task().id},
          {"tensors", ""},
          {"settings", settingsJson(run.settings())},
          {"steps_taken", state.stepsTaken},
          {"training_ms", state.trainingMs},
          {"curve", std::move(curve)},
          {"evaluations", std::move(evaluations)}};
}

std::vector<NamedTensor> tensorsOf(const Trainer& run, const Trainer::State& state) {
  std::vector<NamedTensor> tensors;
  for (const Parameter& parameter : run.model().parameters()) {
    tensors.push_back({parameter.name, parameter.value});
    if (parameter.mean.empty()) continue;
    tensors.push_back({meanName(parameter), parameter.mean});
    tensors.push_back({squareName(parameter), parameter.square});
  }
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

void removeOtherStates(const fs::path& folder, const std::string& keep) {
  std::vector<fs::path> others;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const std::string file = at->path().filename().string();
    if (file != keep && isStateName(file)) others.push_back(at->path());
    if (isStateName(std::string(targetOfDeadTemporary(file)))) removeDeadTemporary(at->path());
  }
  for (const fs::path& other : others) fs::remove(other, code);
}

// ---- to be loaded

Json runIn(const std::string& text, const std::string& file) {
  try {
    Json json = parseJson(text);
    const Json* format = json.find("format");
    if (format == nullptr || format->text() == nullptr || *format->text() != kRunFormat) {
      throw UserError(fmt::format(
          "{} does not belong to a training run: choose a folder that train --save has written",
          file));
    }
    return json;
  } catch (const JsonError& error) {
    throw UserError(
        fmt::format("{} is not a usable training run: {}; open another", file, error.what()));
  }
}

TrainingSettings settingsFrom(const JsonField& field) {
  TrainingSettings s;
  s.model.layers = field.at("layers").whole();
  s.model.dModel = field.at("d_model").whole();
  s.model.heads = field.at("heads").whole();
  s.model.causal = field.at("causal").flag();
  s.model.embeddingScale = field.at("embedding_scale").number();
  s.model.scale = field.at("scale").flag();
  const std::string method = field.at("optimiser").text();
  if (method != "adam" && method != "sgd") field.at("optimiser").fail("must be adam or sgd");
  s.optimiser.method =
      method == "adam" ? OptimiserSettings::Method::adam : OptimiserSettings::Method::sgd;
  s.optimiser.learningRate = field.at("learning_rate").number();
  s.optimiser.beta1 = field.at("beta1").number();
  s.optimiser.beta2 = field.at("beta2").number();
  s.optimiser.epsilon = field.at("epsilon").number();
  s.optimiser.weightDecay = field.at("weight_decay").number();
  s.optimiser.clip = field.at("clip").number();
  s.batch = field.at("batch").whole();
  s.steps = field.at("steps").whole();
  s.seed = field.at("seed").seed();
  s.evaluateEvery = field.at("evaluate_every").whole();
  s.snapshotBytes = field.at("snapshot_bytes").whole();
  return s;
}

/// The items of a list of exactly `count` items.
std::vector<JsonField> itemsOf(const JsonField& field, std::size_t count) {
  std::vector<JsonField> items = field.items();
  if (items.size() != count) {
    field.fail(fmt::format("has {} values where the run has {}", items.size(), count));
  }
  return items;
}

/// Reads a number; null is NaN.
double numberOrNaN(const JsonField& field) {
  return field.value().isNull() ? std::numeric_limits<double>::quiet_NaN() : field.number();
}

std::vector<double> numbersFrom(const JsonField& field, std::size_t count) {
  std::vector<double> numbers;
  for (const JsonField& item : itemsOf(field, count)) numbers.push_back(numberOrNaN(item));
  return numbers;
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

/// Opens the file of tensors that run.json names, and checks that it is unchanged.
SafetensorsFile stateOf(const JsonField& name, const fs::path& folder) {
  if (!isStateName(name.text())) name.fail("must be the name of a file in the run's own folder");
  const fs::path path = folder / name.text();
  SafetensorsFile file(path);
  if (stateName(contentHash(file)) != name.text()) {
    throw UserError(
        fmt::format("{} was changed after it was saved: its content does not match its name; "
                    "choose another run",
                    path.string()));
  }
  return file;
}

/// Reads a tensor. Throws where it is missing or has another shape.
Tensor readTensor(const SafetensorsFile& file, const std::string& name, const Shape& shape) {
  if (!file.has(name)) {
    throw UserError(fmt::format(
        "{} has no tensor {}, so it belongs to another run; choose the folder of one run",
        file.path().string(), name));
  }
  if (file.shape(name) != shape) {
    throw UserError(
        fmt::format("{}: {} is {}, and a run with these settings has {}: choose an unchanged "
                    "folder of train --save",
                    file.path().string(), name, toString(file.shape(name)), toString(shape)));
  }
  return file.read(name);
}

void readParameters(const SafetensorsFile& file, Trainer& run) {
  const bool moments =
      run.settings().optimiser.method == OptimiserSettings::Method::adam && run.stepsTaken() > 0;
  for (Parameter& parameter : run.parameters()) {
    const Shape& shape = parameter.value.shape();
    const Tensor value = readTensor(file, parameter.name, shape);
    std::copy_n(value.data(), value.size(), parameter.value.mutableData());
    if (!moments) continue;
    parameter.mean = readTensor(file, meanName(parameter), shape);
    parameter.square = readTensor(file, squareName(parameter), shape);
  }
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
  for (const char* read : {"format", "program"}) static_cast<void>(file.find(read));
  if (file.at("version").whole() != kRunVersion) {
    throw UserError(
        fmt::format("{} is of version {}, and headscope {} reads version {}: open it "
                    "with a newer one",
                    name, file.at("version").whole(), HEADSCOPE_VERSION, kRunVersion));
  }
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
  readParameters(tensors, *run);
  return run;
}

}  // namespace

void saveRun(const fs::path& folder, const Trainer& run) {
  OutputFolder output(folder);
  const Trainer::State state = run.state();
  const std::vector<NamedTensor> tensors = tensorsOf(run, state);
  const std::string name = stateName(contentHash(tensors));
  Json json = runJson(run, state);
  json["tensors"] = name;
  const bool there = platform::exists(folder / name);
  writeSafetensors(folder / name, tensors);
  try {
    writeAtomically(folder / "run.json", [&](std::ostream& out) { out << json.dump(1) << '\n'; });
  } catch (...) {
    std::error_code ignored;
    if (!there) fs::remove(folder / name, ignored);
    throw;
  }
  output.keep();
  removeOtherStates(folder, name);
}

std::unique_ptr<Trainer> loadRun(const fs::path& folder, Index memoryBudgetBytes) {
  const fs::path path = folder / "run.json";
  const std::string name = path.string();
  const Json json = runIn(readText(path, kMaxRunBytes, "training run"), name);
  return readWhole(json, name,
                   [&](const JsonField& file) { return runFrom(file, folder, memoryBudgetBytes); });
}

}  // namespace headscope::formats
