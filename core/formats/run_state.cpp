#include "core/formats/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/formats/tensor_table.h"
#include "core/platform/paths.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using training::OptimiserSettings;
using training::Parameter;

constexpr const char* kRunFormat = "headscope training run";
constexpr Index kRunVersion = 1;
constexpr std::uintmax_t kMaxRunBytes = std::uintmax_t{256} << 20;  // of run.json

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

}  // namespace

std::vector<std::pair<std::string, Json>> runFields(std::string_view task) {
  return {{"format", kRunFormat},
          {"version", kRunVersion},
          {"program", HEADSCOPE_VERSION},
          {"task", task},
          {"tensors", ""}};
}

std::vector<std::pair<std::string, Json>> optimiserFields(const OptimiserSettings& s) {
  return {{"optimiser", s.method == OptimiserSettings::Method::adam ? "adam" : "sgd"},
          {"learning_rate", s.learningRate},
          {"beta1", s.beta1},
          {"beta2", s.beta2},
          {"epsilon", s.epsilon},
          {"weight_decay", s.weightDecay},
          {"clip", s.clip}};
}

OptimiserSettings optimiserFrom(const JsonField& settings) {
  OptimiserSettings s;
  const std::string method = settings.at("optimiser").text();
  if (method != "adam" && method != "sgd") settings.at("optimiser").fail("must be adam or sgd");
  s.method = method == "adam" ? OptimiserSettings::Method::adam : OptimiserSettings::Method::sgd;
  s.learningRate = settings.at("learning_rate").number();
  s.beta1 = settings.at("beta1").number();
  s.beta2 = settings.at("beta2").number();
  s.epsilon = settings.at("epsilon").number();
  s.weightDecay = settings.at("weight_decay").number();
  s.clip = settings.at("clip").number();
  return s;
}

std::vector<NamedTensor> tensorsOf(std::span<const Parameter> parameters) {
  std::vector<NamedTensor> tensors;
  for (const Parameter& parameter : parameters) {
    tensors.push_back({parameter.name, parameter.value});
    if (parameter.mean.empty()) continue;
    tensors.push_back({meanName(parameter), parameter.mean});
    tensors.push_back({squareName(parameter), parameter.square});
  }
  return tensors;
}

void readParameters(const SafetensorsFile& file, std::span<Parameter> parameters, bool moments) {
  for (Parameter& parameter : parameters) {
    const Shape& shape = parameter.value.shape();
    const Tensor value = readTensor(file, parameter.name, shape);
    std::copy_n(value.data(), value.size(), parameter.value.mutableData());
    if (!moments) continue;
    parameter.mean = readTensor(file, meanName(parameter), shape);
    parameter.square = readTensor(file, squareName(parameter), shape);
  }
}

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

void writeRun(const fs::path& folder, Json run, const std::vector<NamedTensor>& tensors) {
  OutputFolder output(folder);
  const std::string name = stateName(contentHash(tensors));
  run["tensors"] = name;
  const bool there = platform::exists(folder / name);
  writeSafetensors(folder / name, tensors);
  try {
    writeAtomically(folder / "run.json", [&](std::ostream& out) { out << run.dump(1) << '\n'; });
  } catch (...) {
    std::error_code ignored;
    if (!there) fs::remove(folder / name, ignored);
    throw;
  }
  output.keep();
  removeOtherStates(folder, name);
}

Json runJsonIn(const fs::path& folder) {
  const fs::path path = folder / "run.json";
  const std::string file = path.string();
  const std::string text = readText(path, kMaxRunBytes, "training run");
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

void checkRun(const JsonField& file) {
  for (const char* read : {"format", "program"}) static_cast<void>(file.find(read));
  const Index version = file.at("version").whole();
  if (version == kRunVersion) return;
  throw UserError(fmt::format(
      "{} is of version {}, and headscope {} reads version {}: open it with a newer one",
      file.file(), version, HEADSCOPE_VERSION, kRunVersion));
}

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

std::string taskOfRun(const fs::path& folder) {
  const Json json = runJsonIn(folder);
  const Json* task = json.find("task");
  return task != nullptr && task->text() != nullptr ? *task->text() : std::string();
}

std::vector<JsonField> itemsOf(const JsonField& field, std::size_t count) {
  std::vector<JsonField> items = field.items();
  if (items.size() != count) {
    field.fail(fmt::format("has {} values where the run has {}", items.size(), count));
  }
  return items;
}

std::vector<double> numbersFrom(const JsonField& field, std::size_t count) {
  std::vector<double> numbers;
  for (const JsonField& item : itemsOf(field, count)) {
    numbers.push_back(item.value().isNull() ? std::numeric_limits<double>::quiet_NaN()
                                            : item.number());
  }
  return numbers;
}

}  // namespace headscope::formats
