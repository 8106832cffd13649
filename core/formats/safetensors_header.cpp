#include "core/formats/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/error.h"

namespace headscope::formats {
namespace {

using nlohmann::json;

constexpr const char* kMetadata = "__metadata__";

struct TypeSize {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array kTypes{
    TypeSize{"F64", 8},  TypeSize{"F32", 4}, TypeSize{"F16", 2},     TypeSize{"BF16", 2},
    TypeSize{"I64", 8},  TypeSize{"I32", 4}, TypeSize{"I16", 2},     TypeSize{"I8", 1},
    TypeSize{"U64", 8},  TypeSize{"U32", 4}, TypeSize{"U16", 2},     TypeSize{"U8", 1},
    TypeSize{"BOOL", 1}, TypeSize{"C64", 8}, TypeSize{"F8_E4M3", 1}, TypeSize{"F8_E5M2", 1}};

/// Reads a header; every complaint names the file, and the tensor where there is one.
class HeaderParser {
 public:
  HeaderParser(std::uint64_t dataBytes, const std::string& file)
      : dataBytes_(dataBytes), file_(file) {}

  SafetensorsHeader parse(std::string_view text) {
    try {
      // Tensor by tensor, so that no more than one is held as JSON.
      const json left =
          json::parse(text, [this](int depth, json::parse_event_t event, json& value) {
            return keep(depth, event, value);
          });
      if (!left.is_object()) fail("its header is not a JSON object");
    } catch (const json::exception&) {
      fail("its header is not valid JSON");
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

  bool keep(int depth, json::parse_event_t event, json& value) {
    constexpr int kDeepest = 3;
    if (depth > kDeepest) fail("its header is nested too deeply");
    if (depth != 1) {
      if (++parts_ > mostParts()) failTensor(name_, "has too long an entry");
      return true;
    }
    if (event == json::parse_event_t::key) {
      name_ = value.get<std::string>();
      parts_ = 0;
    } else if (event == json::parse_event_t::object_end) {
      takeEntry(value);
      return false;
    } else if (event == json::parse_event_t::value || event == json::parse_event_t::array_end) {
      fail(fmt::format("entry \"{}\" is not an object", name_));
    }
    return true;
  }

  /// Keys, values, beginnings and ends within one entry: a tensor's has a few, metadata many.
  std::size_t mostParts() const {
    constexpr std::size_t kTensorParts = 64;
    return name_ == kMetadata ? SafetensorsLimits::kTensors : kTensorParts;
  }

  void takeEntry(const json& value) {
    if (name_ == kMetadata) {
      if (std::exchange(metadataSeen_, true)) fail("__metadata__ is there twice");
      for (const auto& [key, text] : value.items()) {
        if (!text.is_string()) fail(fmt::format("metadata \"{}\" is not a string", key));
        header_.metadata[key] = text.get<std::string>();
      }
      return;
    }
    if (header_.entries.size() >= SafetensorsLimits::kTensors) {
      fail(fmt::format("it has more than {} tensors", SafetensorsLimits::kTensors));
    }
    if (!header_.entries.emplace(name_, readEntry(value)).second)
      failTensor(name_, "is there twice");
  }

  SafetensorsEntry readEntry(const json& value) const {
    SafetensorsEntry entry;
    const auto dtype = value.find("dtype");
    if (dtype == value.end() || !dtype->is_string()) failTensor(name_, "has no dtype");
    entry.dtype = dtype->get<std::string>();
    const std::vector<std::uint64_t> dims = numbers(value, "shape");
    if (dims.size() > Shape::kMostAxes) {
      failTensor(name_,
                 fmt::format("has {} axes, at most {} are read", dims.size(), Shape::kMostAxes));
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

  std::vector<std::uint64_t> numbers(const json& value, const char* key) const {
    const auto found = value.find(key);
    if (found == value.end() || !found->is_array()) {
      failTensor(name_, fmt::format("has no {}", key));
    }
    std::vector<std::uint64_t> out;
    for (const json& number : *found) {
      if (!number.is_number_unsigned()) {
        failTensor(name_, fmt::format("has {} that are not whole numbers from 0", key));
      }
      out.push_back(number.get<std::uint64_t>());
    }
    return out;
  }

  void checkEntry(const SafetensorsEntry& entry) const {
    if (entry.begin > entry.end) failTensor(name_, "ends before it begins");
    if (entry.end > dataBytes_) {
      failTensor(name_, fmt::format("ends at byte {} of {} bytes of data: the file is cut short",
                                    entry.end, dataBytes_));
    }
    const std::uint64_t size = bytesOf(entry.dtype);
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
  std::size_t parts_ = 0;
  bool metadataSeen_ = false;
};

}  // namespace

std::uint64_t bytesOf(std::string_view dtype) {
  for (const TypeSize& type : kTypes) {
    if (type.name == dtype) return type.bytes;
  }
  return 0;
}

SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataBytes,
                                         const std::string& file) {
  return HeaderParser(dataBytes, file).parse(text);
}

std::string safetensorsHeader(const std::vector<TensorShape>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  std::uint64_t begin = 0;
  for (const TensorShape& tensor : tensors) {
    const auto bytes = static_cast<std::uint64_t>(elementCount(tensor.shape)) * sizeof(float);
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, begin + bytes}}};
    begin += bytes;
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the data are aligned
  return text;
}

}  // namespace headscope::formats
