// The orientation of a photograph, from its EXIF data: a TIFF file whose first directory has it.
#include "core/formats/pictures/decoders.h"

namespace headscope::formats {
namespace {

/// Unsigned numbers of a TIFF file; 0 beyond its end.
struct Numbers {
  std::string_view bytes;
  bool bigEndian = false;

  std::uint32_t at(std::size_t offset, std::size_t count) const {
    if (offset > bytes.size() || bytes.size() - offset < count) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = bigEndian ? i : count - 1 - i;
      value = value << 8 | static_cast<unsigned char>(bytes[offset + from]);
    }
    return value;
  }
};

}  // namespace

int orientationFrom(std::string_view exif) {
  constexpr std::string_view kHeader{"Exif\0\0", 6};
  if (exif.starts_with(kHeader)) exif.remove_prefix(kHeader.size());
  const bool bigEndian = exif.starts_with("MM");
  if (!bigEndian && !exif.starts_with("II")) return 1;
  constexpr std::size_t kDirectoryAt = 4, kEntryBytes = 12, kValueAt = 8;
  constexpr std::uint32_t kOrientation = 0x112;
  const Numbers numbers{exif, bigEndian};
  const std::size_t directory = numbers.at(kDirectoryAt, 4);
  const std::uint32_t entries = numbers.at(directory, 2);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > exif.size()) break;
    if (numbers.at(entry, 2) != kOrientation) continue;
    const std::uint32_t value = numbers.at(entry + kValueAt, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace headscope::formats
