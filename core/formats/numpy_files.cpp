#include "core/formats/numpy_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

namespace headscope::formats {
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

/// The bytes of a .npy file in two parts.
struct NpyFile {
  explicit NpyFile(const Tensor& tensor)
      : dense(tensor.contiguous() ? tensor : tensor.clone()), start(preamble(dense.shape())) {}

  std::string_view values() const {
    return {reinterpret_cast<const char*>(dense.data()),
            static_cast<std::size_t>(dense.size()) * sizeof(float)};
  }

  Tensor dense;
  std::string start;
};

void put(std::ostream& out, std::string_view bytes) {
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The checksum of zip archives (CRC-32 of IEEE 802.3).
class Crc32 {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      state_ = table()[(state_ ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (state_ >> 8U);
    }
  }
  std::uint32_t value() const { return ~state_; }

 private:
  using Table = std::array<std::uint32_t, 256>;
  static const Table& table() {
    static const Table made = [] {
      Table t{};
      for (std::uint32_t i = 0; i < t.size(); ++i) {
        t[i] = i;
        for (int bit = 0; bit < 8; ++bit) {
          t[i] = (t[i] & 1U) != 0 ? 0xEDB88320U ^ (t[i] >> 1U) : t[i] >> 1U;
        }
      }
      return t;
    }();
    return made;
  }
  std::uint32_t state_ = 0xFFFFFFFFU;
};

/// Little-endian numbers, one after the other.
class LittleEndian {
 public:
  LittleEndian& u16(std::uint64_t value) { return number(value, 2); }
  LittleEndian& u32(std::uint64_t value) { return number(value, 4); }
  LittleEndian& u64(std::uint64_t value) { return number(value, 8); }
  LittleEndian& text(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  LittleEndian& number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFFU);
    return *this;
  }
  std::string bytes_;
};

constexpr std::uint64_t kIn64Bits = 0xFFFFFFFFU;  // the number stands in the extra field
constexpr std::uint64_t kZipVersion = 45;         // of the format: sizes of 64 bits
constexpr std::uint64_t kFirstDay = 0x21;         // 1 January 1980, so that equal files are equal

/// An entry of a zip archive that is stored, not compressed (PKWARE's APPNOTE, 4.3 to 4.5).
struct ZipEntry {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t checksum = 0;

  /// Writes the fields that both headers of the entry have, from the version to the length of the
  /// name.
  void common(LittleEndian& to) const {
    constexpr std::uint64_t kFlags = 0, kStored = 0, kTime = 0;
    to.u16(kZipVersion).u16(kFlags).u16(kStored).u16(kTime).u16(kFirstDay).u32(checksum);
    to.u32(kIn64Bits).u32(kIn64Bits).u16(name.size());
  }
  std::string localHeader() const {
    LittleEndian to;
    to.text("PK\3\4");
    common(to);
    to.u16(20).text(name).u16(1).u16(16).u64(bytes).u64(bytes);
    return to.bytes();
  }
  std::string centralHeader() const {
    LittleEndian to;
    to.text("PK\1\2").u16(kZipVersion);
    common(to);
    to.u16(28).u16(0).u16(0).u16(0).u32(0).u32(kIn64Bits).text(name);
    to.u16(1).u16(24).u64(bytes).u64(bytes).u64(offset);
    return to.bytes();
  }
};

/// The end of an archive whose list of entries stands at `offset`.
std::string zipEnd(std::uint64_t entries, std::uint64_t offset, std::uint64_t bytes) {
  LittleEndian to;
  to.text("PK\6\6").u64(44).u16(kZipVersion).u16(kZipVersion).u32(0).u32(0);
  to.u64(entries).u64(entries).u64(bytes).u64(offset);
  to.text("PK\6\7").u32(0).u64(offset + bytes).u32(1);
  to.text("PK\5\6").u16(0).u16(0).u16(0xFFFF).u16(0xFFFF).u32(kIn64Bits).u32(kIn64Bits).u16(0);
  return to.bytes();
}

}  // namespace

Tensor readNpy(const std::filesystem::path& path) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;
  constexpr std::size_t kBegin = 10;  // magic, version and the header's length
  const std::string all = readText(path, kMostBytes, "NumPy array");
  const auto fail = [&](std::string_view why) {
    throw UserError(fmt::format("{}: {}; save an array of float32 or float64 with numpy.save",
                                path.string(), why));
  };
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(all[at]); };
  if (all.size() < kBegin || !all.starts_with("\x93NUMPY")) fail("it is no NumPy array");
  const bool first = byte(6) == 1;  // later versions have a length of four bytes
  const std::size_t begin = first ? kBegin : kBegin + 2;
  std::size_t length = byte(8) + (std::size_t{byte(9)} << 8U);
  if (!first && all.size() >= begin) {
    length += (std::size_t{byte(10)} << 16U) + (std::size_t{byte(11)} << 24U);
  }
  if (begin + length > all.size()) fail("it is cut short");
  const std::string_view header(all.data() + begin, length);
  const bool doubles = header.find("'<f8'") != std::string_view::npos;
  if (!doubles && header.find("'<f4'") == std::string_view::npos) fail("it has other numbers");
  if (header.find("'fortran_order': False") == std::string_view::npos) fail("it is not in C order");
  const std::string_view bytes = std::string_view(all).substr(begin + length);
  const std::size_t each = doubles ? sizeof(double) : sizeof(float);
  if (bytes.empty() || bytes.size() % each != 0) fail("it is cut short");
  std::vector<float> values(bytes.size() / each);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (doubles) {
      double value = 0.0;
      std::memcpy(&value, bytes.data() + i * each, each);
      values[i] = static_cast<float>(value);
    } else {
      std::memcpy(&values[i], bytes.data() + i * each, each);
    }
  }
  return Tensor::fromValues({std::ssize(values)}, values);
}

void writeNpy(const std::filesystem::path& path, const Tensor& tensor) {
  const NpyFile file(tensor);
  writeAtomically(path, [&](std::ostream& out) {
    put(out, file.start);
    put(out, file.values());
  });
}

bool isNpz(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return std::ranges::equal(ending, std::string_view(".npz"), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

void writeNpz(const std::filesystem::path& path, const std::vector<TensorToWrite>& tensors) {
  writeAtomically(path, [&](std::ostream& out) {
    std::uint64_t offset = 0;
    const auto write = [&](std::string_view bytes) {
      put(out, bytes);
      offset += bytes.size();
    };
    std::string list;
    for (const TensorToWrite& tensor : tensors) {
      const NpyFile file(tensor.values());
      Crc32 checksum;
      checksum.add(file.start);
      checksum.add(file.values());
      const ZipEntry entry{tensor.name + ".npy", offset, file.start.size() + file.values().size(),
                           checksum.value()};
      list += entry.centralHeader();
      write(entry.localHeader());
      write(file.start);
      write(file.values());
    }
    const std::uint64_t listAt = offset;
    write(list);
    write(zipEnd(tensors.size(), listAt, list.size()));
  });
}

}  // namespace headscope::formats
