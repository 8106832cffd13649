#include "core/formats/tensor_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/random.h"
#include "core/tensor/finite.h"

namespace headscope::formats {
namespace {

std::uint64_t hashOf(const std::string& name, const Tensor& tensor) {
  const Tensor dense = tensor.contiguous() ? tensor : tensor.clone();
  std::uint64_t hash = hashBytes(name + toString(tensor.shape()));
  const float* values = dense.data();
  Index left = dense.size();
  for (; left > 0; left -= 2, values += 2) {
    std::uint64_t word = 0;
    std::memcpy(&word, values, static_cast<std::size_t>(std::min<Index>(left, 2)) * sizeof(float));
    hash = mix64(hash + RandomStream::kGolden) ^ word;
  }
  return mix64(hash + RandomStream::kGolden);
}

}  // namespace

std::string TensorsToSave::add(const Tensor& tensor, const std::string& wanted) {
  const auto same = std::find_if(all_.begin(), all_.end(),
                                 [&](const NamedTensor& n) { return n.tensor.sameAs(tensor); });
  if (same != all_.end()) return same->name;
  all_.push_back({wanted, tensor});
  return wanted;
}

bool TensorsToRead::has(const std::string& name) const {
  return given_.contains(name) || (file_ && file_->has(name));
}

const Shape& TensorsToRead::shapeOf(const std::string& name) const {
  const Tensor* tensor = given(name);
  return tensor != nullptr ? tensor->shape() : file_->shape(name);
}

std::string TensorsToRead::where() const {
  return file_ ? file_->path().filename().string() : "this link";
}

Tensor TensorsToRead::read(const JsonField& field, const Shape& expected) {
  const std::string& name = field.text();
  if (!has(name)) {
    field.fail(fmt::format("is the tensor \"{}\", which {} lacks", name, where()));
  }
  const Shape& shape = shapeOf(name);
  const bool fits = std::equal(
      shape.begin(), shape.end(), expected.begin(), expected.end(),
      [](Index found, Index wanted) { return wanted < 0 ? found > 0 : found == wanted; });
  if (!fits) {
    std::string wanted = toString(expected);
    for (std::size_t at = 0; (at = wanted.find("-1", at)) != std::string::npos;) {
      wanted.replace(at, 2, "any");
    }
    field.fail(fmt::format("is the tensor \"{}\", expected {}, found {} in {}", name, wanted,
                           toString(shape), where()));
  }
  if (const auto known = read_.find(name); known != read_.end()) return known->second;
  const Index bytes = elementCount(shape) * static_cast<Index>(sizeof(float));
  if (bytes > budget_ - bytes_) {
    throw UserError(
        fmt::format("the tensors of {} need at least {} of memory, more than the limit of {}: make "
                    "the session smaller",
                    field.file(), bytesInWords(bytes_ + bytes), bytesInWords(budget_)));
  }
  bytes_ += bytes;
  const Tensor* own = given(name);
  if (own != nullptr) requireFinite(*own, name, where());
  Tensor tensor = own != nullptr ? *own : file_->read(name);
  return read_.emplace(name, std::move(tensor)).first->second;
}

std::uint64_t contentHash(const std::vector<NamedTensor>& tensors) {
  std::uint64_t sum = 0;
  for (const NamedTensor& named : tensors) sum += hashOf(named.name, named.tensor);
  return sum;
}

std::uint64_t contentHash(const SafetensorsFile& file) {
  std::uint64_t sum = 0;
  for (const std::string& name : file.names()) sum += hashOf(name, file.read(name));
  return sum;
}

std::uint64_t contentHash(const std::filesystem::path& path) {
  try {
    return contentHash(SafetensorsFile(path));
  } catch (const UserError&) {
    return 0;
  }
}

}  // namespace headscope::formats
