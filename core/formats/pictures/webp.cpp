// WebP files, by libwebp.
#include "core/formats/pictures/decoders.h"

#ifdef HEADSCOPE_WEBP
#include <webp/decode.h>
#endif

namespace headscope::formats {

#ifdef HEADSCOPE_WEBP

namespace {

/// The EXIF chunk of the RIFF container; empty without.
std::string_view exifInWebp(std::string_view bytes) {
  constexpr std::size_t kContainer = 12, kHeader = 8;
  std::size_t at = kContainer;
  while (at + kHeader <= bytes.size()) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 4 + i])) << (8 * i);
    }
    if (length > bytes.size() - at - kHeader) break;
    if (bytes.substr(at, 4) == "EXIF") return bytes.substr(at + kHeader, length);
    at += kHeader + length + length % 2;
  }
  return {};
}

/// Decodes to RGBA and leaves transparency out, so that hidden colours stay as they are.
bool decodeColors(const std::uint8_t* data, std::size_t count, Picture& picture) {
  constexpr std::size_t kRgba = 4;
  const auto width = static_cast<std::size_t>(picture.width);
  std::vector<std::uint8_t> rgba(picture.rgb.size() / 3 * kRgba);
  if (WebPDecodeRGBAInto(data, count, rgba.data(), rgba.size(), static_cast<int>(width * kRgba)) ==
      nullptr) {
    return false;
  }
  for (std::size_t i = 0; i < rgba.size() / kRgba; ++i) {
    for (std::size_t c = 0; c < 3; ++c) picture.rgb[3 * i + c] = rgba[kRgba * i + c];
  }
  return true;
}

}  // namespace

Decoded decodeWebp(std::string_view bytes, const std::string& name) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  const VP8StatusCode status = WebPGetFeatures(data, bytes.size(), &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA) refusePicture(name, "is cut short");
  if (status != VP8_STATUS_OK) refusePicture(name, "is damaged");
  if (features.has_animation != 0) refusePicture(name, "is an animation, not one picture");
  Decoded found{blankPicture(features.width, features.height, name),
                orientationFrom(exifInWebp(bytes))};
  if (!decodeColors(data, bytes.size(), found.picture)) {
    refusePicture(name, "is damaged or cut short");
  }
  return found;
}

#else

Decoded decodeWebp(std::string_view /*bytes*/, const std::string& name) {
  refusePicture(name, "is a WebP, and this program was built without libwebp");
}

#endif

}  // namespace headscope::formats
