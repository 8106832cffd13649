#include "core/formats/export_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/document_json.h"
#include "core/formats/files.h"
#include "core/formats/safetensors.h"

namespace headscope::formats {

namespace {

bool isBias(TensorId id) { return id >= TensorId::bQ && id <= TensorId::bO; }

/// Why a pass has no such tensor; empty where it has one.
std::string whyMissing(TensorId id, const AttentionConfig& c) {
  if (id == TensorId::memory && !c.crossAttention()) {
    return "this pass is self-attention, without a memory; choose x";
  }
  if (id != TensorId::memory && !has(c, id)) {
    return "this pass has no step that gives it; choose another";
  }
  if (isBias(id) && !c.bias) return "this pass adds no biases; switch them on";
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

namespace {

/// A token as a cell: quoted where it needs it. A spreadsheet would compute what starts like a
/// formula, so such a text gets the apostrophe that makes it plain.
std::string csvText(std::string_view token) {
  const bool formula =
      token.size() > 1 && std::string_view("=+-@\t\r").find(token.front()) != std::string::npos;
  std::string text = (formula ? "'" : "") + std::string(token);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '"');
  }
  return '"' + text + '"';
}

/// One list per item, or null where rows do not count tokens.
const std::vector<std::vector<std::string>>* tokensOf(const Trace& trace, Axis rows) {
  const Input& input = *trace.document().input;
  if (rows == Axis::query) return &input.tokens;
  if (rows == Axis::key) return &input.keyTokens();
  return nullptr;
}

class CsvWriter {
 public:
  CsvWriter(const Trace& trace, TensorId id)
      : trace_(trace),
        id_(id),
        info_(info(id)),
        shape_(shapeOf(id, trace.config())),
        tokens_(tokensOf(trace, info_.rows)),
        values_(static_cast<std::size_t>(shape_.back())) {}

  void write(std::ostream& out) {
    header(out);
    std::size_t axis = 0;
    const Index items = info_.perItem ? shape_[axis++] : 1;
    const Index heads = info_.perHead ? shape_[axis++] : 1;
    const Index rows = info_.rows != Axis::none ? shape_[axis] : 1;
    for (Index item = 0; item < items; ++item) {
      for (Index head = 0; head < heads; ++head) {
        for (Index row = 0; row < rows && out; ++row) line(out, item, head, row);
      }
    }
  }

 private:
  void header(std::ostream& out) {
    if (info_.perItem) cell("item");
    if (info_.perHead) cell("head");
    if (info_.rows != Axis::none) cell("row");
    if (tokens_ != nullptr) cell("token");
    for (Index col = 0; col < shape_.back(); ++col) cell(col);
    endLine(out);
  }

  void line(std::ostream& out, Index item, Index head, Index row) {
    if (info_.perItem) cell(item);
    if (info_.perHead) cell(head);
    if (info_.rows != Axis::none) cell(row);
    if (tokens_ != nullptr) {
      cell(csvText((*tokens_)[static_cast<std::size_t>(item)][static_cast<std::size_t>(row)]));
    }
    trace_.tile(id_, item, head, row, 1, 0, shape_.back(), values_.data());
    for (const float value : values_) cell(value);  // the shortest text that reads back the same
    endLine(out);
  }

  template <typename Value>
  void cell(const Value& value) {
    if (line_.size() > 0) line_.push_back(',');
    fmt::format_to(std::back_inserter(line_), "{}", value);
  }
  void endLine(std::ostream& out) {
    line_.push_back('\n');
    out.write(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
  }

  const Trace& trace_;
  TensorId id_;
  const TensorInfo& info_;
  Shape shape_;
  const std::vector<std::vector<std::string>>* tokens_;
  std::vector<float> values_;
  fmt::memory_buffer line_;
};

}  // namespace

void writeTensorCsv(const std::filesystem::path& path, const Trace& trace, TensorId id) {
  writeAtomically(path, [&](std::ostream& out) { CsvWriter(trace, id).write(out); });
}

namespace {

/// A tuple as Python writes it: "()", "(512,)", "(6, 512)".
std::string tuple(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape.front());
  return toString(shape);
}

/// Everything before the values; its size is a multiple of 64, so that they can be mapped.
std::string preamble(const Shape& shape) {
  constexpr std::size_t kAlignment = 64;
  const std::string magic("\x93NUMPY\x01\x00", 8);
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", tuple(shape));
  const std::size_t used = magic.size() + 2 + header.size() + 1;  // the length and the line's end
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string length{static_cast<char>(header.size() & 0xFF),
                     static_cast<char>(header.size() >> 8)};
  return magic + length + header;
}

}  // namespace

void writeNpy(const std::filesystem::path& path, const Tensor& tensor) {
  const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
  const std::string start = preamble(dense.shape());
  writeAtomically(path, [&](std::ostream& out) {
    out.write(start.data(), static_cast<std::streamsize>(start.size()));
    out.write(
        reinterpret_cast<const char*>(dense.data()),
        static_cast<std::streamsize>(dense.size()) * static_cast<std::streamsize>(sizeof(float)));
  });
}

}  // namespace headscope::formats
