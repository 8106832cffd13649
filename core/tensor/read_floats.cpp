#include "core/tensor/read_floats.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/tensor/finite.h"

namespace headscope {
namespace {

struct TypeSize {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array kTypes{
    TypeSize{"F64", 8},  TypeSize{"F32", 4}, TypeSize{"F16", 2},     TypeSize{"BF16", 2},
    TypeSize{"I64", 8},  TypeSize{"I32", 4}, TypeSize{"I16", 2},     TypeSize{"I8", 1},
    TypeSize{"U64", 8},  TypeSize{"U32", 4}, TypeSize{"U16", 2},     TypeSize{"U8", 1},
    TypeSize{"BOOL", 1}, TypeSize{"C64", 8}, TypeSize{"F8_E4M3", 1}, TypeSize{"F8_E5M2", 1}};

/// Reads values of type T, a part at a time. Returns false where some are not finite.
template <typename T>
bool readConverted(const ByteReader& read, std::uint64_t offset, std::span<float> out) {
  constexpr std::size_t kAtOnce = 1 << 16;  // they stay in cache until they are checked
  std::vector<T> buffer(std::is_same_v<T, float> ? 0 : std::min(kAtOnce, out.size()));
  bool finite = true;
  while (!out.empty()) {
    const std::span<float> part = out.first(std::min(kAtOnce, out.size()));
    const std::size_t bytes = part.size() * sizeof(T);
    if constexpr (std::is_same_v<T, float>) {
      read(offset, {reinterpret_cast<char*>(part.data()), bytes});
    } else {
      read(offset, {reinterpret_cast<char*>(buffer.data()), bytes});
      std::transform(buffer.begin(), buffer.begin() + std::ssize(part), part.begin(),
                     [](T value) { return static_cast<float>(value); });
    }
    finite = allFinite({part.data(), 1, std::ssize(part), std::ssize(part), 1}) && finite;
    out = out.subspan(part.size());
    offset += bytes;
  }
  return finite;
}

}  // namespace

std::uint64_t bytesOfType(std::string_view dtype) {
  for (const TypeSize& type : kTypes) {
    if (type.name == dtype) return type.bytes;
  }
  return 0;
}

bool isReadableFloat(std::string_view dtype) {
  return dtype == "F32" || dtype == "F16" || dtype == "BF16" || dtype == "F64";
}

void requireMemoryFor(const std::string& name, const Shape& shape,
                      const std::filesystem::path& file, Index budgetBytes) {
  const Index count = elementCount(shape);
  constexpr auto kEach = static_cast<Index>(sizeof(float));
  if (count <= budgetBytes / kEach) return;
  throw UserError(fmt::format(
      "{} {} in {} needs {} of memory, more than the limit of {}; use a smaller one", name,
      toString(shape), file.string(), bytesInWords(count * kEach), bytesInWords(budgetBytes)));
}

bool readFloats(std::string_view dtype, const ByteReader& read, std::uint64_t offset,
                std::span<float> to) {
  if (dtype == "F32") return readConverted<float>(read, offset, to);
  if (dtype == "F16") return readConverted<Eigen::half>(read, offset, to);
  if (dtype == "BF16") return readConverted<Eigen::bfloat16>(read, offset, to);
  return readConverted<double>(read, offset, to);
}

}  // namespace headscope
