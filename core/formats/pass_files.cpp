#include "core/formats/pass_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/attention/gradients.h"
#include "core/base/error.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/document_json.h"
#include "core/formats/numpy_files.h"
#include "core/tensor/finite.h"

namespace headscope::formats {
namespace {

/// A tensor of (B, T, width) or (T, width), always given as the former.
Tensor readSequence(Index& left, const SafetensorsFile& file, const std::string& name) {
  const Shape& shape = file.shape(name);
  const bool fits = shape.size() == 2 || shape.size() == 3;
  if (!fits || std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    throw UserError(
        fmt::format("{}: expected (batch, tokens, width) or (tokens, width), found {} "
                    "in {}; save it in that shape",
                    name, toString(shape), file.path().string()));
  }
  const Tensor tensor = readWithin(left, file, name);
  return shape.size() == 3 ? tensor : tensor.reshaped({1, shape[0], shape[1]});
}

/// One list of tokens from the metadata, where all items have it in common.
std::vector<std::string> commonTokens(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) return {};
  const auto items = parseTokens(found->second);
  if (items.empty()) return {};
  const bool same = std::all_of(items.begin(), items.end(),
                                [&](const auto& tokens) { return tokens == items.front(); });
  return same ? items.front() : std::vector<std::string>{};
}

}  // namespace

TensorSource loadInput(const SafetensorsFile& file, Index left) {
  TensorSource source;
  source.name = file.path().string();
  if (!file.has("x")) {
    throw UserError(
        fmt::format("{} has no tensor \"x\" of shape (batch, tokens, d_model); it has {}",
                    source.name, file.names().empty() ? "no tensors" : someOf(file.names())));
  }
  source.x = readSequence(left, file, "x");
  source.tokens = commonTokens(file, "tokens");
  if (!file.has("memory")) return source;
  source.memory = readSequence(left, file, "memory");
  source.memoryTokens = commonTokens(file, "memory_tokens");
  if (source.memory.dim(0) != source.x.dim(0)) {
    throw UserError(
        fmt::format("memory: expected a batch of {} as x has, found {} in {}; save both "
                    "with one batch",
                    source.x.dim(0), toString(source.memory.shape()), source.name));
  }
  return source;
}

Tensor loadGradOutput(const SafetensorsFile& file, const AttentionConfig& config) {
  constexpr const char* kName = "grad_output";
  if (!file.has(kName)) {
    throw UserError(fmt::format("{} has no tensor \"{}\" of the output's shape {}; it has {}",
                                file.path().string(), kName,
                                toString(shapeOf(TensorId::output, config)),
                                file.names().empty() ? "no tensors" : someOf(file.names())));
  }
  Index left = defaultMemoryBudget();
  return readSequence(left, file, kName);
}

PairBias loadPairBias(const std::filesystem::path& path, const AttentionConfig& config) {
  constexpr const char* kName = "pair_bias";
  const Shape expected{config.numHeads, config.seqLen, config.keys()};
  const auto refuse = [&](const std::string& found) {
    throw UserError(
        fmt::format("{}: {} must be {}, a number for each head, query and key; found {}",
                    path.string(), kName, toString(expected), found));
  };
  if (path.extension() == ".npy") {
    const Tensor numbers = readNpy(path);
    if (numbers.size() != elementCount(expected)) {
      refuse(fmt::format("{} numbers", numbers.size()));
    }
    requireFinite(numbers, kName, path.string());
    return PairBias::of(numbers.reshaped(expected));
  }
  const SafetensorsFile file(path);
  if (!file.has(kName)) {
    throw UserError(fmt::format("{} has no tensor \"{}\" of shape {}; it has {}", path.string(),
                                kName, toString(expected),
                                file.names().empty() ? "no tensors" : someOf(file.names())));
  }
  if (file.shape(kName) != expected) refuse(toString(file.shape(kName)));
  Index left = defaultMemoryBudget();
  const Tensor numbers = readWithin(left, file, kName);
  requireFinite(numbers, kName, path.string());
  return PairBias::of(numbers);
}

void saveTrace(const std::filesystem::path& path, const Trace& trace, const Gradients* gradients) {
  std::vector<TensorToWrite> tensors;
  for (std::size_t i = kFirstResult; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (!isResult(id) || !has(trace.config(), id)) continue;
    tensors.push_back({std::string(info(id).name), shapeOf(id, trace.config()),
                       [&trace, id] { return trace.materialise(id); }});
  }
  for (std::size_t i = 0; gradients != nullptr && i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (gradients->tensor(id).empty() && !isComputedOnDemand(id)) continue;
    tensors.push_back({tensorName({.tensor = id, .gradient = true}), shapeOf(id, trace.config()),
                       [gradients, id] { return gradients->materialise(id); }});
  }
  std::map<std::string, std::string> metadata = passMetadata(trace);
  metadata["steps"] = stepsJson(trace.config()).dump();
  writeSafetensors(path, tensors, metadata);
}

}  // namespace headscope::formats
