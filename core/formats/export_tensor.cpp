#include "core/formats/export_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/formats/config_json.h"
#include "core/formats/npy.h"
#include "core/formats/safetensors.h"
#include "core/formats/tensor_csv.h"
#include "core/mistakes.h"

namespace headscope::formats {
namespace {

bool isBias(TensorId id) { return id >= TensorId::bQ && id <= TensorId::bO; }

/// Why a pass has no such tensor; empty where it has one.
std::string whyMissing(TensorId id, const AttentionConfig& c) {
  if (id == TensorId::memory && !c.crossAttention()) {
    return "this pass is self-attention, without a memory; choose x";
  }
  if (isBias(id) && !c.bias) return "this pass adds no biases; switch them on";
  return {};
}

void writeAsSafetensors(const std::filesystem::path& path, const Trace& trace, TensorId id) {
  const Input& input = *trace.document().input;
  std::map<std::string, std::string> metadata{{"config", configJson(trace.config())},
                                              {"tokens", tokensJson(input.tokens)}};
  if (!input.memory.empty()) metadata["memory_tokens"] = tokensJson(input.memoryTokens);
  const std::string mistakes = idsOfMistakes(trace.config());
  if (!mistakes.empty()) metadata["mistakes"] = mistakes;
  const std::vector<NamedTensor> tensors{{std::string(info(id).name), trace.materialise(id)}};
  writeSafetensors(path, tensors, metadata);
}

}  // namespace

std::string_view toString(TensorFormat format) {
  switch (format) {
    case TensorFormat::safetensors:
      return "safetensors";
    case TensorFormat::npy:
      return "npy";
    case TensorFormat::csv:
      break;
  }
  return "csv";
}

std::optional<TensorFormat> tensorFormatFromName(std::string_view name) {
  const auto found =
      std::ranges::find(kTensorFormats, name, [](TensorFormat format) { return toString(format); });
  if (found == kTensorFormats.end()) return std::nullopt;
  return *found;
}

std::optional<TensorFormat> tensorFormatOf(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  if (ending.empty()) return std::nullopt;
  ending.erase(0, 1);
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return tensorFormatFromName(ending);
}

std::vector<TensorId> tensorsOf(const AttentionConfig& config) {
  std::vector<TensorId> ids;
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    if (whyMissing(id, config).empty()) ids.push_back(id);
  }
  return ids;
}

TensorId requireTensor(std::string_view name, const AttentionConfig& config) {
  const std::optional<TensorId> id = tensorIdFromName(name);
  if (!id) {
    std::vector<std::string_view> names;
    for (const TensorId known : tensorsOf(config)) names.push_back(info(known).name);
    throw UserError(
        fmt::format("tensor '{}' is not known; this pass has: {}", name, fmt::join(names, ", ")));
  }
  const std::string missing = whyMissing(*id, config);
  if (!missing.empty()) throw UserError(fmt::format("tensor {}: {}", name, missing));
  return *id;
}

void exportTensor(const std::filesystem::path& path, const Trace& trace, TensorId id,
                  TensorFormat format) {
  switch (format) {
    case TensorFormat::safetensors:
      return writeAsSafetensors(path, trace, id);
    case TensorFormat::npy:
      return writeNpy(path, trace.materialise(id));
    case TensorFormat::csv:
      return writeTensorCsv(path, trace, id);
  }
}

}  // namespace headscope::formats
