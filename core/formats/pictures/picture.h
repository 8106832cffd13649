// Picture: the pixels of a PNG, JPEG or WebP file, as RGB, upright.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/index.h"

namespace headscope::formats {

struct Picture {
  Index width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // row by row from the top

  const std::uint8_t* at(Index x, Index y) const { return rgb.data() + 3 * (y * width + x); }
  bool operator==(const Picture&) const = default;
};

/// Returns whether a name ends as those of the files that readPicture reads.
bool isPictureName(const std::filesystem::path& path);

/// Reads a file, or draws a picture that comes with the program (shipped_picture.h). A file is
/// turned as its EXIF orientation asks; transparency is left out, 16 bits are cut to 8 and CMYK
/// becomes RGB, as Pillow's convert("RGB") does. Throws UserError that names the file for one that
/// is damaged, cut short, an animation, too large or of another kind.
Picture readPicture(const std::filesystem::path& path);
/// Returns how the name of a file with these bytes ends, ".png"; empty for a file of another kind
/// than readPicture reads.
std::string_view pictureExtension(std::string_view bytes);
/// Reads the bytes of a file; messages call it `name`.
Picture pictureFrom(std::string_view bytes, const std::string& name);

}  // namespace headscope::formats
