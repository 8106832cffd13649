// Run state: the part that all saved training runs have in common: run.json and, next to it, the
// parameters and Adam's moments in state.<hash>.safetensors, whose name is the hash of its content.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/tensor/safetensors.h"
#include "core/training/optimiser.h"

namespace headscope::formats {

/// The fields that begin run.json; `task` is the id of what is learned.
std::vector<std::pair<std::string, Json>> runFields(std::string_view task);
/// The optimiser's settings, as fields of "settings".
std::vector<std::pair<std::string, Json>> optimiserFields(const training::OptimiserSettings& s);
training::OptimiserSettings optimiserFrom(const JsonField& settings);

/// Every parameter, and its moments where it has some.
std::vector<NamedTensor> tensorsOf(std::span<const training::Parameter> parameters);
/// Fills in the parameters, with their moments if wanted. Throws UserError where a tensor is
/// missing or has another shape.
void readParameters(const SafetensorsFile& file, std::span<training::Parameter> parameters,
                    bool moments);
/// Reads a tensor. Throws UserError where it is missing or has another shape.
Tensor readTensor(const SafetensorsFile& file, const std::string& name, const Shape& shape);

/// Writes a run and creates the folder if missing; run.json gets the name of the tensors' file. A
/// previous run stays intact until the new one is complete. Throws UserError naming the path and
/// the system's reason.
void writeRun(const std::filesystem::path& folder, Json run,
              const std::vector<NamedTensor>& tensors);

/// Calls `read` with the fields of a folder's run.json, whose format and version are checked.
/// Throws UserError that names the file and the field.
template <typename Read>
auto readRun(const std::filesystem::path& folder, Read&& read);
/// Opens the file of tensors that the field names, and checks that it is unchanged.
SafetensorsFile stateOf(const JsonField& name, const std::filesystem::path& folder);

/// The task of a saved run. Throws UserError as readRun does.
std::string taskOfRun(const std::filesystem::path& folder);

/// The items of a list of exactly `count` items.
std::vector<JsonField> itemsOf(const JsonField& field, std::size_t count);
/// Numbers of such a list; null is NaN.
std::vector<double> numbersFrom(const JsonField& field, std::size_t count);

// ---- implementation of the template

Json runJsonIn(const std::filesystem::path& folder);
void checkRun(const JsonField& file);

template <typename Read>
auto readRun(const std::filesystem::path& folder, Read&& read) {
  const Json json = runJsonIn(folder);
  return readWhole(json, (folder / "run.json").string(), [&](const JsonField& file) {
    checkRun(file);
    return read(file);
  });
}

}  // namespace headscope::formats
