#include "core/formats/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/tensor/finite.h"
#include "core/tensor/read_floats.h"

namespace headscope::formats {
namespace {

constexpr std::uint64_t kMostTextBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostItems = 20'000'000;  // of all lists together
constexpr std::uint64_t kMostTensors = 100'000;
constexpr std::uint64_t kMostEntries = 4096;  // of metadata

}  // namespace

/// The bytes of a file, read forward.
class GgufBytes {
 public:
  GgufBytes(const UnchangedFile& file, std::function<void(const std::string&)> fail)
      : file_(file), fail_(std::move(fail)) {}

  std::uint64_t at() const { return at_ - (buffer_.size() - used_); }
  void read(char* to, std::uint64_t count) {
    while (count > 0) {
      if (used_ == buffer_.size()) fill();
      const auto part = std::min<std::uint64_t>(count, buffer_.size() - used_);
      std::memcpy(to, buffer_.data() + used_, static_cast<std::size_t>(part));
      used_ += static_cast<std::size_t>(part);
      to += part;
      count -= part;
    }
  }
  template <typename T>
  T number() {
    static_assert(std::endian::native == std::endian::little, "GGUF files are little-endian");
    T value{};
    read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  std::string text() {
    const auto count = number<std::uint64_t>();
    if (count > kMostTextBytes || count > file_.bytes()) fail_("it has a text that is too long");
    std::string text(static_cast<std::size_t>(count), '\0');
    read(text.data(), count);
    return text;
  }

 private:
  void fill() {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
    const std::uint64_t count = std::min(kAtOnce, file_.bytes() - at_);
    if (count == 0) fail_("it is cut short");
    buffer_.resize(static_cast<std::size_t>(count));
    file_.read(at_, buffer_);
    at_ += count;
    used_ = 0;
  }

  const UnchangedFile& file_;
  std::function<void(const std::string&)> fail_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::uint64_t at_ = 0;  // the end of the buffer in the file
};

class GgufFile::Parser {
 public:
  explicit Parser(GgufFile& to)
      : to_(to), bytes_(to.file_, [this](const std::string& what) { fail(what); }) {}

  void parse() {
    std::array<char, 4> magic{};
    if (to_.file_.bytes() < 24) fail("it is cut short");
    bytes_.read(magic.data(), magic.size());
    if (std::string_view(magic.data(), magic.size()) != "GGUF") refuseOther();
    const auto version = bytes_.number<std::uint32_t>();
    if (version != 2 && version != 3) {
      fail(fmt::format("its version {} is not one of 2 and 3", version));
    }
    const auto tensors = bytes_.number<std::uint64_t>();
    const auto entries = bytes_.number<std::uint64_t>();
    if (tensors > kMostTensors || entries > kMostEntries) fail("it claims too many entries");
    to_.metadata_ = Json::emptyObject();
    for (std::uint64_t i = 0; i < entries; ++i) {
      const std::string key = bytes_.text();
      to_.metadata_[key] = value(bytes_.number<std::uint32_t>(), 0);
    }
    for (std::uint64_t i = 0; i < tensors; ++i) entry();
    place();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{} is not a usable GGUF file: {}; download it again",
                                to_.path_.string(), what));
  }
  [[noreturn]] void refuseOther() const {
    std::string first(
        static_cast<std::size_t>(std::min<std::uint64_t>(kTellingBytes, to_.file_.bytes())), '\0');
    to_.file_.read(0, first);
    if (const auto instead = whatItIsInsteadOfBinary(first)) {
      throw UserError(fmt::format("{} {}", to_.path_.string(), *instead));
    }
    fail("it does not begin as one");
  }

  Json value(std::uint32_t type, int depth) {
    switch (type) {
      case 0:
        return Json(bytes_.number<std::uint8_t>());
      case 1:
        return Json(bytes_.number<std::int8_t>());
      case 2:
        return Json(bytes_.number<std::uint16_t>());
      case 3:
        return Json(bytes_.number<std::int16_t>());
      case 4:
        return Json(bytes_.number<std::uint32_t>());
      case 5:
        return Json(bytes_.number<std::int32_t>());
      case 6:
        return Json(static_cast<double>(bytes_.number<float>()));
      case 7:
        return Json(bytes_.number<std::uint8_t>() != 0);
      case 8:
        return Json(bytes_.text());
      case 9:
        return list(depth);
      case 10:
        return Json(bytes_.number<std::uint64_t>());
      case 11:
        return Json(bytes_.number<std::int64_t>());
      case 12:
        return Json(bytes_.number<double>());
      default:
        fail(fmt::format("it has a value of the type {}, which is not known", type));
    }
  }

  Json list(int depth) {
    if (depth > 3) fail("its lists are nested too deeply");
    const auto type = bytes_.number<std::uint32_t>();
    const auto count = bytes_.number<std::uint64_t>();
    items_ += std::min(count, kMostItems);
    if (items_ > kMostItems || count > to_.file_.bytes()) fail("it has a list that is too long");
    Json::List items;
    items.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) items.push_back(value(type, depth + 1));
    return Json(std::move(items));
  }

  void entry() {
    const std::string name = bytes_.text();
    if (name.find('\0') != std::string::npos) fail("the name of a tensor has a NUL byte");
    const auto axes = bytes_.number<std::uint32_t>();
    if (axes > Shape::kMostAxes) fail(fmt::format("tensor \"{}\" has {} axes", name, axes));
    constexpr std::uint64_t kMostValues = std::uint64_t{1} << 40;
    Entry entry;
    std::uint64_t values = 1;  // of all axes but empty ones
    for (std::uint32_t axis = 0; axis < axes; ++axis) {
      const auto length = bytes_.number<std::uint64_t>();
      if (length > kMostValues / values) fail(fmt::format("tensor \"{}\" is too large", name));
      values *= std::max<std::uint64_t>(1, length);
      entry.shape.insert(0, static_cast<Index>(length));  // the file has the innermost axis first
    }
    const auto type = bytes_.number<std::uint32_t>();
    entry.type = ggufType(type);
    entry.begin = bytes_.number<std::uint64_t>();
    if (entry.type == nullptr) {
      throw UserError(fmt::format(
          "{}: the tensor \"{}\" has the type {}, which is not read: open one in F32, F16, BF16, "
          "Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K or Q6_K",
          to_.path_.string(), name, type));
    }
    if (!to_.tensors_.emplace(name, entry).second) {
      fail(fmt::format("tensor \"{}\" is there twice", name));
    }
  }

  /// Turns the tensors' offsets into places in the file, and checks that they lie in it.
  void place() {
    const Json* given = to_.metadata_.find("general.alignment");
    const std::uint64_t alignment =
        given != nullptr && given->natural() ? std::max<std::uint64_t>(1, *given->natural()) : 32;
    if (alignment > 1U << 20) fail("its alignment is too large");
    const std::uint64_t data = (bytes_.at() + alignment - 1) / alignment * alignment;
    for (auto& [name, entry] : to_.tensors_) {
      const Index count = elementCount(entry.shape);
      const Index across = entry.shape.empty() ? 1 : entry.shape.back();
      if (across % entry.type->values != 0) {
        fail(fmt::format("tensor \"{}\" has rows of {} values, and {} keeps {} in a block", name,
                         across, entry.type->name, entry.type->values));
      }
      const std::uint64_t bytes =
          static_cast<std::uint64_t>(count) / entry.type->values * entry.type->bytes;
      const std::uint64_t whole = to_.file_.bytes();
      if (data > whole || entry.begin > whole - data || bytes > whole - data - entry.begin) {
        fail(fmt::format("tensor \"{}\" ends after the file: it is cut short", name));
      }
      entry.begin += data;
    }
  }

  GgufFile& to_;
  GgufBytes bytes_;
  std::uint64_t items_ = 0;
};

GgufFile::GgufFile(const std::filesystem::path& path) : path_(path), file_(path) {
  try {
    Parser(*this).parse();
  } catch (const std::overflow_error&) {
    throw UserError(fmt::format(
        "{} is not a usable GGUF file: a tensor is too large to count; download it again",
        path.string()));
  }
}

Tensor GgufFile::read(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw UserError(fmt::format("{} has no tensor \"{}\"", path_.string(), name));
  }
  const Entry& entry = found->second;
  const Index count = elementCount(entry.shape);
  requireMemoryFor(name, entry.shape, path_, defaultMemoryBudget());
  Tensor tensor = Tensor::uninitialised(entry.shape);
  const GgufType& type = *entry.type;
  if (type.widen == nullptr) {
    readFloats(type.name,
               [this](std::uint64_t at, std::span<char> bytes) { file_.read(at, bytes); },
               entry.begin, {tensor.mutableData(), static_cast<std::size_t>(count)});
    requireFinite(tensor, name, path_.string());
    return tensor;
  }
  constexpr std::uint64_t kAtOnce = 1 << 12;  // blocks
  std::vector<std::uint8_t> bytes;
  std::uint64_t left = static_cast<std::uint64_t>(count) / type.values;
  std::uint64_t from = entry.begin;
  float* to = tensor.mutableData();
  while (left > 0) {
    const std::uint64_t blocks = std::min(left, kAtOnce);
    bytes.resize(static_cast<std::size_t>(blocks * type.bytes));
    file_.read(from, {reinterpret_cast<char*>(bytes.data()), bytes.size()});
    for (std::uint64_t block = 0; block < blocks; ++block, to += type.values) {
      type.widen(bytes.data() + block * type.bytes, to);
    }
    from += bytes.size();
    left -= blocks;
  }
  requireFinite(tensor, name, path_.string());
  return tensor;
}

}  // namespace headscope::formats
