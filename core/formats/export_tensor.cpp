#include "core/formats/export_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/attention/weight_tensors.h"
#include "core/base/files.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/csv_table.h"
#include "core/formats/document_json.h"
#include "core/formats/numpy_files.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {

namespace {

/// The reason why a pass lacks the tensor; empty where it has it.
std::string whyMissing(TensorId id, const AttentionConfig& c) {
  if (id == TensorId::memory && !c.crossAttention()) {
    return "this pass is self-attention, without a memory; choose x";
  }
  if (id != TensorId::memory && !has(c, id)) {
    return "no step of this pass computes it; choose another";
  }
  if (isBias(id) && !c.switches->bias) return "this pass adds no biases; switch them on";
  return {};
}

void writeAsSafetensors(const std::filesystem::path& path, const Trace& trace, TensorId id) {
  const std::vector<NamedTensor> tensors{{std::string(info(id).name), trace.materialise(id)}};
  writeSafetensors(path, tensors, passMetadata(trace));
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
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
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
        fmt::format("unknown tensor '{}'; this pass has: {}", name, fmt::join(names, ", ")));
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

namespace {

/// The lists of tokens, one per item; null where rows are not tokens.
const std::vector<std::vector<std::string>>* tokensOf(const Trace& trace, Axis rows) {
  const Input& input = *trace.document().input;
  if (rows == Axis::query) return &input.tokens;
  if (rows == Axis::key) return &input.keyTokens();
  return nullptr;
}

}  // namespace

void writeTensorCsv(const std::filesystem::path& path, const Trace& trace, TensorId id) {
  const TensorInfo& about = info(id);
  const Shape shape = shapeOf(id, trace.config());
  CsvTable table;
  table.columns = shape.back();
  if (about.perItem) table.axes.push_back({"item", shape[table.axes.size()]});
  if (about.perHead) table.axes.push_back({"head", shape[table.axes.size()]});
  if (about.rows != Axis::none) table.axes.push_back({"row", shape[table.axes.size()]});
  if (const auto* tokens = tokensOf(trace, about.rows)) {
    table.token = [tokens, perItem = about.perItem](CsvTable::At at) {
      const auto item = static_cast<std::size_t>(perItem ? at.front() : 0);
      return (*tokens)[item][static_cast<std::size_t>(at.back())];
    };
  }
  table.row = [&](CsvTable::At at, std::span<float> values) {
    std::size_t axis = 0;
    const Index item = about.perItem ? at[axis++] : 0;
    const Index head = about.perHead ? at[axis++] : 0;
    const Index row = about.rows != Axis::none ? at[axis] : 0;
    trace.tile(id, item, head, row, 1, 0, shape.back(), values.data());
  };
  writeCsv(path, table);
}

}  // namespace headscope::formats
