// Decoders: the bytes of one kind of file as a picture that is not yet turned upright.
#pragma once

#include <string>
#include <string_view>

#include "core/formats/pictures/picture.h"

namespace headscope::formats {

struct Decoded {
  Picture picture;
  int orientation = 1;  // EXIF's, 1 to 8; 1: upright
};

/// Throw UserError that names the file.
Decoded decodePng(std::string_view bytes, const std::string& name);
Decoded decodeJpeg(std::string_view bytes, const std::string& name);
Decoded decodeWebp(std::string_view bytes, const std::string& name);

/// The orientation that EXIF data (a TIFF file) give; 1 where they give none.
int orientationFrom(std::string_view exif);

/// A picture of this size, all black. Throws UserError for one with too many pixels.
Picture blankPicture(Index width, Index height, const std::string& name);

/// Throws UserError: "NAME is not a usable picture: it <what>; open another".
[[noreturn]] void refusePicture(const std::string& name, const std::string& what);

}  // namespace headscope::formats
