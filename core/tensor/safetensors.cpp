#include "core/tensor/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/memory_budget.h"
#include "core/tensor/finite.h"
#include "core/tensor/read_floats.h"

namespace headscope {

namespace {

/// Limits on what is read, all checked before anything of that size is allocated.
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the format's own
constexpr std::size_t kMostTensors = 100'000;

struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

constexpr const char* kMetadata = "__metadata__";

/// Parses the text of a header. The ranges must fill the `dataBytes` after it exactly, without
/// overlap. Every error names the file and, if possible, the tensor.
class HeaderParser {
 public:
  HeaderParser(std::uint64_t dataBytes, const std::string& file)
      : dataBytes_(dataBytes), file_(file) {}

  SafetensorsHeader parse(std::string_view text) {
    try {
      // tensor by tensor, so that no more than one is held as JSON
      parseFields(text, limitsOf, [this](const std::string& name, const Json& value) {
        name_ = name;
        takeEntry(value);
      });
    } catch (const JsonError& error) {
      switch (error.kind) {
        case JsonError::Kind::noObject:
          fail("its header is not a JSON object");
        case JsonError::Kind::tooDeep:
          fail("its header is nested too deeply");
        case JsonError::Kind::tooManyKeys:
        case JsonError::Kind::tooLarge:
          failTensor(error.field, "has an entry that is too long");
        case JsonError::Kind::damaged:
          fail("its header is not valid JSON");
      }
    }
    checkRanges();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(
        fmt::format("{} is not a usable safetensors file: {}; save it again", file_, what));
  }
  [[noreturn]] void failTensor(const std::string& name, const std::string& what) const {
    fail(fmt::format("tensor \"{}\" {}", name, what));
  }

  /// A tensor's entry is short; metadata may be as long as the header.
  static JsonLimits limitsOf(const std::string& name) {
    constexpr int kDeepest = 3;
    constexpr std::size_t kTensorBytes = 16 << 10;
    if (name == kMetadata) return {kDeepest, kMostTensors, 4 * kMostHeaderBytes};
    return {kDeepest, 64, kTensorBytes};
  }

  void takeEntry(const Json& value) {
    if (value.fields() == nullptr) fail(fmt::format("entry \"{}\" is not an object", name_));
    if (name_ == kMetadata) {
      if (std::exchange(metadataSeen_, true)) fail("__metadata__ appears twice");
      for (const auto& [key, text] : *value.fields()) {
        if (text.text() == nullptr) fail(fmt::format("metadata \"{}\" is not a string", key));
        header_.metadata[key] = *text.text();
      }
      return;
    }
    if (header_.entries.size() >= kMostTensors) {
      fail(fmt::format("it has more than {} tensors", kMostTensors));
    }
    if (!header_.entries.emplace(name_, readEntry(value)).second)
      failTensor(name_, "is there twice");
  }

  SafetensorsEntry readEntry(const Json& value) const {
    SafetensorsEntry entry;
    const Json* dtype = value.find("dtype");
    if (dtype == nullptr || dtype->text() == nullptr) failTensor(name_, "has no dtype");
    entry.dtype = *dtype->text();
    const std::vector<std::uint64_t> dims = numbers(value, "shape");
    if (dims.size() > Shape::kMostAxes) {
      failTensor(name_, fmt::format("has {} axes, the limit is {}", dims.size(), Shape::kMostAxes));
    }
    for (const std::uint64_t dim : dims) {
      if (dim > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) tooLarge();
      entry.shape.append(static_cast<Index>(dim));
    }
    const auto offsets = numbers(value, "data_offsets");
    if (offsets.size() != 2) failTensor(name_, "does not have two data_offsets");
    entry.begin = offsets[0];
    entry.end = offsets[1];
    checkEntry(entry);
    return entry;
  }

  std::vector<std::uint64_t> numbers(const Json& value, const char* key) const {
    const Json* found = value.find(key);
    if (found == nullptr || found->list() == nullptr) {
      failTensor(name_, fmt::format("has no {}", key));
    }
    std::vector<std::uint64_t> out;
    for (const Json& number : *found->list()) {
      const auto natural = number.natural();
      if (!natural) failTensor(name_, fmt::format("has {} that are not whole numbers from 0", key));
      out.push_back(*natural);
    }
    return out;
  }

  void checkEntry(const SafetensorsEntry& entry) const {
    if (entry.begin > entry.end) failTensor(name_, "ends before it begins");
    if (entry.end > dataBytes_) {
      failTensor(name_, fmt::format("ends at byte {} of {} bytes of data: the file is cut short",
                                    entry.end, dataBytes_));
    }
    const std::uint64_t size = bytesOfType(entry.dtype);
    if (size == 0) return;  // unknown: refused when it is read
    const std::uint64_t bytes = checkedBytes(entry.shape, size);
    if (entry.end - entry.begin != bytes) {
      failTensor(name_, fmt::format("has {} bytes where {} of {} need {}", entry.end - entry.begin,
                                    toString(entry.shape), entry.dtype, bytes));
    }
  }

  std::uint64_t checkedBytes(const Shape& shape, std::uint64_t size) const {
    std::uint64_t bytes = size;
    bool none = false;  // an axis of length 0: even then the others' product, a stride, must fit
    for (const Index dim : shape) {
      const auto count = static_cast<std::uint64_t>(dim);
      none = none || count == 0;
      // Past 2^63 no index could reach the end; that is far above any file.
      if (count > 0 && bytes > (std::uint64_t{1} << 63) / count) tooLarge();
      if (count > 0) bytes *= count;
    }
    return none ? 0 : bytes;
  }
  [[noreturn]] void tooLarge() const { failTensor(name_, "has a shape too large to count"); }

  void checkRanges() const {
    struct Range {
      std::uint64_t begin, end;
      const std::string* name;
    };
    std::vector<Range> ranges;
    ranges.reserve(header_.entries.size());
    for (const auto& [name, entry] : header_.entries) {
      ranges.push_back({entry.begin, entry.end, &name});
    }
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t reached = 0;
    for (const Range& range : ranges) {
      if (range.begin < reached) failTensor(*range.name, "overlaps another");
      if (range.begin > reached) {
        failTensor(*range.name,
                   fmt::format("leaves a gap of {} bytes before it", range.begin - reached));
      }
      reached = range.end;
    }
    if (reached != dataBytes_) {
      fail(fmt::format("{} bytes follow its last tensor", dataBytes_ - reached));
    }
  }

  std::uint64_t dataBytes_;
  const std::string& file_;
  SafetensorsHeader header_;
  std::string name_;  // of the entry being read
  bool metadataSeen_ = false;
};

/// The header of a file to be written; data are laid out in the order of `tensors`. Padded so that
/// they begin at a multiple of 8 bytes.
std::string headerOf(const std::vector<TensorToWrite>& tensors,
                     const std::map<std::string, std::string>& metadata, std::string_view dtype) {
  Json header = Json::emptyObject();
  for (const auto& [name, text] : metadata) {
    if (header.find(kMetadata) == nullptr) header[kMetadata] = Json::emptyObject();
    header[kMetadata][name] = text;
  }
  std::uint64_t begin = 0;
  for (const TensorToWrite& tensor : tensors) {
    const auto bytes = static_cast<std::uint64_t>(elementCount(tensor.shape)) * bytesOfType(dtype);
    header[tensor.name] = {{"dtype", dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", std::array{begin, begin + bytes}}};
    begin += bytes;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::uint64_t kLengthBytes = 8;

/// Writes values in the 16 bits of Half, Eigen::half or Eigen::bfloat16.
template <typename Half>
void writeAsHalf(std::ostream& out, const Tensor& dense, const std::string& name) {
  using Halves = Eigen::Array<Half, Eigen::Dynamic, 1>;
  const Halves halves = Eigen::Map<const Eigen::ArrayXf>(dense.data(), dense.size()).cast<Half>();
  if (!halves.isFinite().all()) {
    const bool brain = std::is_same_v<Half, Eigen::bfloat16>;
    throw UserError(fmt::format("{} has values beyond {}, the limit of {}: write it as F32", name,
                                brain ? "3.39e38" : "65504", brain ? "BF16" : "F16"));
  }
  out.write(
      reinterpret_cast<const char*>(halves.data()),
      static_cast<std::streamsize>(halves.size()) * static_cast<std::streamsize>(sizeof(Half)));
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : path_(path), file_(std::make_shared<const UnchangedFile>(path)) {
  readHeader(file_->bytes());
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& name, std::string_view bytes)
    : path_(name), bytes_(bytes) {
  readHeader(bytes.size());
}

void SafetensorsFile::readBytes(std::uint64_t offset, std::span<char> to) const {
  if (file_ != nullptr) return file_->read(offset, to);
  std::ranges::copy(bytes_.substr(static_cast<std::size_t>(offset), to.size()), to.begin());
}

void SafetensorsFile::readHeader(std::uint64_t fileBytes) {
  const auto fail = [&](const std::string& what) {
    throw UserError(fmt::format("{} is not a usable safetensors file: {}; save it again",
                                path_.string(), what));
  };
  if (fileBytes < kLengthBytes) fail("it is cut short within its first 8 bytes");
  std::uint64_t headerBytes = 0;
  readBytes(0, {reinterpret_cast<char*>(&headerBytes), sizeof headerBytes});
  if (headerBytes > kMostHeaderBytes || headerBytes > fileBytes - kLengthBytes) {
    std::string first(static_cast<std::size_t>(std::min<std::uint64_t>(kTellingBytes, fileBytes)),
                      '\0');
    readBytes(0, first);
    if (const auto instead = whatItIsInsteadOfBinary(first)) {
      throw UserError(fmt::format("{} {}", path_.string(), *instead));
    }
  }
  if (headerBytes > kMostHeaderBytes) {
    fail(fmt::format("its header claims {} bytes, the limit is 100 MB", headerBytes));
  }
  if (headerBytes > fileBytes - kLengthBytes) {
    fail(fmt::format("its header claims {} bytes, the file has {} after it", headerBytes,
                     fileBytes - kLengthBytes));
  }
  std::string header(static_cast<std::size_t>(headerBytes), '\0');
  readBytes(kLengthBytes, header);
  dataStart_ = kLengthBytes + headerBytes;
  SafetensorsHeader parsed = HeaderParser(fileBytes - dataStart_, path_.string()).parse(header);
  entries_ = std::move(parsed.entries);
  metadata_ = std::move(parsed.metadata);
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

const SafetensorsEntry& SafetensorsFile::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw UserError(
        fmt::format("{} has no tensor \"{}\"; check the names in it", path_.string(), name));
  }
  return found->second;
}

const Shape& SafetensorsFile::shape(const std::string& name) const { return entry(name).shape; }

const std::string& SafetensorsFile::dtype(const std::string& name) const {
  return entry(name).dtype;
}

Tensor SafetensorsFile::read(const std::string& name) const {
  return read(name, defaultMemoryBudget());
}

Tensor SafetensorsFile::read(const std::string& name, Index budgetBytes) const {
  ReadTensor read = readValues(name, budgetBytes);
  if (read.finite) return std::move(read.tensor);
  const auto index = firstNotFinite(read.tensor);
  if (const SafetensorsEntry& e = entry(name); index && e.dtype == "F64") {
    const std::span<const float> values(read.tensor.data(),
                                        static_cast<std::size_t>(read.tensor.size()));
    const auto place = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
    double value = 0.0;
    readBytes(
        dataStart_ + e.begin + sizeof value * static_cast<std::uint64_t>(place - values.begin()),
        {reinterpret_cast<char*>(&value), sizeof value});
    if (std::isfinite(value)) {
      throw UserError(
          fmt::format("{}[{}] in {} is {}, beyond float32's range of ±3.4e38; correct that value",
                      name, fmt::join(*index, ", "), path_.string(), value));
    }
  }
  requireFinite(read.tensor, name, path_.string());
  return std::move(read.tensor);
}

HalfMatrix SafetensorsFile::readHalf(const std::string& name) const {
  const SafetensorsEntry& e = entry(name);
  if (e.shape.size() != 2 || (e.dtype != "F16" && e.dtype != "BF16")) return {};
  const HalfKind kind = e.dtype == "F16" ? HalfKind::f16 : HalfKind::bf16;
  requireMemoryFor(name, e.shape, path_, defaultMemoryBudget());
  const auto count = static_cast<std::size_t>(elementCount(e.shape));
  const std::shared_ptr<std::uint16_t[]> numbers(new std::uint16_t[count]);
  readBytes(dataStart_ + e.begin,
            {reinterpret_cast<char*>(numbers.get()), count * sizeof(std::uint16_t)});
  if (!allFinite(kind, {numbers.get(), count})) read(name);  // names the cell
  return {kind, e.shape[0], e.shape[1], numbers};
}

Tensor SafetensorsFile::readAny(const std::string& name) const {
  return readValues(name, defaultMemoryBudget()).tensor;
}

SafetensorsFile::ReadTensor SafetensorsFile::readValues(const std::string& name,
                                                        Index budgetBytes) const {
  const SafetensorsEntry& e = entry(name);
  if (!isReadableFloat(e.dtype)) {
    throw UserError(fmt::format("{} in {} has the type {}; only F32, F16, BF16 and F64 can be used",
                                name, path_.string(), e.dtype));
  }
  const Index count = elementCount(e.shape);
  requireMemoryFor(name, e.shape, path_, budgetBytes);
  ReadTensor read{Tensor::uninitialised(e.shape)};
  const std::span<float> out(read.tensor.mutableData(), static_cast<std::size_t>(count));
  const std::uint64_t from = dataStart_ + e.begin;
  read.finite = readFloats(
      e.dtype, [this](std::uint64_t offset, std::span<char> to) { readBytes(offset, to); }, from,
      out);
  return read;
}

void writeSafetensors(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors,
                      const std::map<std::string, std::string>& metadata, FileFloat as) {
  const std::string header = headerOf(tensors, metadata,
                                      as == FileFloat::f16    ? "F16"
                                      : as == FileFloat::bf16 ? "BF16"
                                                              : "F32");
  writeAtomically(path, [&](std::ostream& out) {
    const std::uint64_t length = header.size();
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const TensorToWrite& entry : tensors) {
      const Tensor tensor = entry.values();
      const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
      if (as == FileFloat::f16) {
        writeAsHalf<Eigen::half>(out, dense, entry.name);
        continue;
      }
      if (as == FileFloat::bf16) {
        writeAsHalf<Eigen::bfloat16>(out, dense, entry.name);
        continue;
      }
      out.write(
          reinterpret_cast<const char*>(dense.data()),
          static_cast<std::streamsize>(dense.size()) * static_cast<std::streamsize>(sizeof(float)));
    }
  });
}

void writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata, FileFloat as) {
  std::vector<TensorToWrite> entries;
  for (const NamedTensor& named : tensors) {
    entries.push_back({named.name, named.tensor.shape(), [&named] { return named.tensor; }});
  }
  writeSafetensors(path, entries, metadata, as);
}

std::string someOf(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  const std::size_t shown = std::min(kMost, names.size());
  std::string text = fmt::format("{}", fmt::join(std::span(names).first(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

Tensor readWithin(Index& bytesLeft, const SafetensorsFile& file, const std::string& name) {
  Tensor tensor = file.read(name, bytesLeft);
  bytesLeft -= tensor.size() * static_cast<Index>(sizeof(float));
  return tensor;
}

}  // namespace headscope
