#include "core/formats/safetensors.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "core/formats/atomic_file.h"
#include "core/formats/input_file.h"
#include "core/formats/safetensors_header.h"
#include "core/ledger.h"

namespace headscope::formats {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::uint64_t kLengthBytes = 8;

template <typename T>
T readAs(std::istream& in) {
  T value{};
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

/// Values of type T from the stream, each turned into a float, a buffer at a time.
template <typename T>
void readConverted(std::istream& in, std::span<float> out) {
  constexpr std::size_t kBuffer = 1 << 16;
  std::vector<T> buffer(std::min(kBuffer, out.size()));
  while (!out.empty()) {
    const std::size_t count = std::min(buffer.size(), out.size());
    in.read(reinterpret_cast<char*>(buffer.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
    std::transform(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count), out.begin(),
                   [](T value) { return static_cast<float>(value); });
    out = out.subspan(count);
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path) {
  auto [in, fileBytes] = openInput(path);
  const auto fail = [&](const std::string& what) {
    throw UserError(
        fmt::format("{} is not a usable safetensors file: {}; save it again", path.string(), what));
  };
  if (fileBytes < kLengthBytes) fail("it is cut short within its first 8 bytes");
  const auto headerBytes = readAs<std::uint64_t>(in);
  if (headerBytes > SafetensorsLimits::kHeaderBytes) {
    fail(fmt::format("its header claims {} bytes, at most 100 MB are read", headerBytes));
  }
  if (headerBytes > fileBytes - kLengthBytes) {
    fail(fmt::format("its header claims {} bytes, the file has {} after it", headerBytes,
                     fileBytes - kLengthBytes));
  }
  std::string header(static_cast<std::size_t>(headerBytes), '\0');
  if (!in.read(header.data(), static_cast<std::streamsize>(header.size()))) {
    fail("its header cannot be read");
  }
  dataStart_ = kLengthBytes + headerBytes;
  SafetensorsHeader parsed = parseSafetensorsHeader(header, fileBytes - dataStart_, path.string());
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
  const SafetensorsEntry& e = entry(name);
  const bool isFloat =
      e.dtype == "F32" || e.dtype == "F16" || e.dtype == "BF16" || e.dtype == "F64";
  if (!isFloat) {
    throw UserError(fmt::format("{} in {} is of type {}; only F32, F16, BF16 and F64 can be used",
                                name, path_.string(), e.dtype));
  }
  const Index count = elementCount(e.shape);
  if (count > budgetBytes / static_cast<Index>(sizeof(float))) {
    throw UserError(fmt::format(
        "{} {} in {} would take {} of memory, more than the {} there are for it; use a "
        "smaller one",
        name, toString(e.shape), path_.string(),
        bytesInWords(count * static_cast<Index>(sizeof(float))), bytesInWords(budgetBytes)));
  }
  std::ifstream in = openInput(path_).stream;
  in.seekg(static_cast<std::streamoff>(dataStart_ + e.begin));
  Tensor tensor = Tensor::uninitialised(e.shape);
  const std::span<float> out(tensor.mutableData(), static_cast<std::size_t>(count));
  if (e.dtype == "F32") {
    in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size_bytes()));
  } else if (e.dtype == "F16") {
    readConverted<Eigen::half>(in, out);
  } else if (e.dtype == "BF16") {
    readConverted<Eigen::bfloat16>(in, out);
  } else {
    readConverted<double>(in, out);
  }
  if (!in) {
    throw UserError(
        fmt::format("{} in {} cannot be read to its end; the file has changed, so load "
                    "it again",
                    name, path_.string()));
  }
  return tensor;
}

void writeSafetensors(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::vector<TensorShape> shapes;
  for (const TensorToWrite& tensor : tensors) shapes.push_back({tensor.name, tensor.shape});
  const std::string header = safetensorsHeader(shapes, metadata);
  writeAtomically(path, [&](std::ostream& out) {
    const std::uint64_t length = header.size();
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const TensorToWrite& entry : tensors) {
      const Tensor tensor = entry.values();
      const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
      out.write(
          reinterpret_cast<const char*>(dense.data()),
          static_cast<std::streamsize>(dense.size()) * static_cast<std::streamsize>(sizeof(float)));
    }
  });
}

void writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::vector<TensorToWrite> entries;
  for (const NamedTensor& named : tensors) {
    entries.push_back({named.name, named.tensor.shape(), [&named] { return named.tensor; }});
  }
  writeSafetensors(path, entries, metadata);
}

}  // namespace headscope::formats
