// JPEG files, by libjpeg-turbo.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "core/formats/pictures/decoders.h"

#ifdef HEADSCOPE_JPEG
#include <turbojpeg.h>
#endif

namespace headscope::formats {

#ifdef HEADSCOPE_JPEG

namespace {

/// The EXIF data among the segments before the pixels; empty without.
std::string_view exifInJpeg(std::string_view bytes) {
  constexpr unsigned char kMark = 0xff, kApp1 = 0xe1, kPixels = 0xda;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && byte(at) == kMark && byte(at + 1) != kPixels) {
    const std::size_t length = static_cast<std::size_t>(byte(at + 2)) << 8 | byte(at + 3);
    if (length < 2 || at + 2 + length > bytes.size()) break;
    const std::string_view content = bytes.substr(at + 4, length - 2);
    if (byte(at + 1) == kApp1 && content.starts_with("Exif")) return content;
    at += 2 + length;
  }
  return {};
}

/// Inverted CMYK, as Adobe's programs write it, becomes RGB as Pillow computes it.
void fromCmyk(const std::vector<unsigned char>& cmyk, Picture& picture) {
  const auto product = [](int a, int b) {  // a · b / 255, rounded
    const int both = a * b + 128;
    return ((both >> 8) + both) >> 8;
  };
  std::uint8_t* to = picture.rgb.data();
  for (std::size_t i = 0; i + 3 < cmyk.size(); i += 4, to += 3) {
    const int light = cmyk[i + 3];
    for (std::size_t ink = 0; ink < 3; ++ink) {
      const int dark = 255 - cmyk[i + ink];
      to[ink] = static_cast<std::uint8_t>(std::clamp(light - product(dark, light), 0, 255));
    }
  }
}

struct Decoder {
  tjhandle handle = tjInitDecompress();

  Decoder() = default;
  ~Decoder() {
    if (handle != nullptr) tjDestroy(handle);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  std::string why() const { return tjGetErrorStr2(handle); }
  bool cutShort() const { return why().find("Premature end") != std::string::npos; }
  [[noreturn]] void refuse(const std::string& name) const {
    if (cutShort()) refusePicture(name, "is cut short");
    refusePicture(name, fmt::format("is damaged ({})", why()));
  }

  /// Refuses a file as libjpeg-turbo says, but for mere warnings. `decode` receives flags. The
  /// first attempt ends at a warning, since an error behind one is reported as a warning, too; it
  /// is known by its text, which replaces that of the first warning.
  void check(const std::function<int(int flags)>& decode, const std::string& name) const {
    if (decode(TJFLAG_STOPONWARNING) == 0) return;
    if (cutShort() || tjGetErrorCode(handle) != TJERR_WARNING) refuse(name);
    const std::string warning = why();
    if (decode(0) != 0 && why() != warning) refuse(name);
  }
};

}  // namespace

Decoded decodeJpeg(std::string_view bytes, const std::string& name) {
  const Decoder decoder;
  if (decoder.handle == nullptr) refusePicture(name, "could not be decoded");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, sampling = 0, colors = 0;
  const int header =
      tjDecompressHeader3(decoder.handle, data, bytes.size(), &width, &height, &sampling, &colors);
  if (header != 0 && (width == 0 || decoder.cutShort())) decoder.refuse(name);
  Decoded found{blankPicture(width, height, name), orientationFrom(exifInJpeg(bytes))};
  const auto decode = [&](unsigned char* to, int format) {
    decoder.check(
        [&](int flags) {
          return tjDecompress2(decoder.handle, data, bytes.size(), to, width, 0, height, format,
                               TJFLAG_ACCURATEDCT | flags);
        },
        name);
  };
  if (colors == TJCS_CMYK || colors == TJCS_YCCK) {
    std::vector<unsigned char> cmyk(found.picture.rgb.size() / 3 * 4);
    decode(cmyk.data(), TJPF_CMYK);
    fromCmyk(cmyk, found.picture);
  } else {
    decode(found.picture.rgb.data(), TJPF_RGB);
  }
  return found;
}

#else

Decoded decodeJpeg(std::string_view /*bytes*/, const std::string& name) {
  refusePicture(name, "is a JPEG, and this program was built without libjpeg-turbo");
}

#endif

}  // namespace headscope::formats
