#include "core/formats/pictures/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/formats/pictures/decoders.h"
#include "core/formats/shipped_picture.h"

namespace headscope::formats {
namespace {

constexpr Index kMostPicturePixels = 100'000'000;
constexpr std::uintmax_t kMostPictureBytes = std::uintmax_t{256} << 20;

/// A kind of file by its first bytes; `also` are others from byte 8 on.
struct Kind {
  std::string_view begin, also, is;
  Decoded (*decode)(std::string_view bytes, const std::string& name);  // null: it is not read
  std::string_view extension = {};                                     // of one that is read
};
constexpr std::array kKinds{Kind{"\x89PNG", "", "", decodePng, ".png"},
                            Kind{"\xff\xd8\xff", "", "", decodeJpeg, ".jpg"},
                            Kind{"RIFF", "WEBP", "", decodeWebp, ".webp"},
                            Kind{"GIF8", "", "a GIF", nullptr},
                            Kind{"BM", "", "a BMP", nullptr},
                            Kind{"II*", "", "a TIFF", nullptr},
                            Kind{"MM", "", "a TIFF", nullptr},
                            Kind{"%PDF", "", "a PDF", nullptr}};

bool isOf(const Kind& kind, std::string_view bytes) {
  constexpr std::size_t kSecond = 8;
  return bytes.starts_with(kind.begin) &&
         (kind.also.empty() ||
          (bytes.size() > kSecond && bytes.substr(kSecond).starts_with(kind.also)));
}

/// The kind of a file's bytes; null for those of another kind.
const Kind* kindOf(std::string_view bytes) {
  const auto* const kind =
      std::ranges::find_if(kKinds, [bytes](const Kind& each) { return isOf(each, bytes); });
  return kind == kKinds.end() ? nullptr : kind;
}

/// The picture as EXIF's orientation turns and mirrors it: 5 to 8 swap rows and columns.
Picture upright(Picture from, int orientation) {
  if (orientation == 1) return from;
  const bool swaps = orientation >= 5;
  Picture to{swaps ? from.height : from.width, swaps ? from.width : from.height, {}};
  to.rgb.resize(from.rgb.size());
  const bool mirrorsX =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool mirrorsY =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  std::uint8_t* pixel = to.rgb.data();
  for (Index y = 0; y < to.height; ++y) {
    for (Index x = 0; x < to.width; ++x, pixel += 3) {
      const Index column = swaps ? y : x, row = swaps ? x : y;
      std::copy_n(from.at(mirrorsX ? from.width - 1 - column : column,
                          mirrorsY ? from.height - 1 - row : row),
                  3, pixel);
    }
  }
  return to;
}

}  // namespace

void refusePicture(const std::string& name, const std::string& what) {
  throw UserError(fmt::format("{} is not a usable picture: it {}; open another", name, what));
}

Picture blankPicture(Index width, Index height, const std::string& name) {
  if (width < 1 || height < 1) refusePicture(name, "has no pixels");
  if (width > kMostPicturePixels / height) {
    refusePicture(name,
                  fmt::format("has {} × {} pixels, and at most {} are read", withThousands(width),
                              withThousands(height), withThousands(kMostPicturePixels)));
  }
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height))};
}

bool isPictureName(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".webp";
}

std::string_view pictureExtension(std::string_view bytes) {
  const Kind* kind = kindOf(bytes);
  return kind != nullptr ? kind->extension : std::string_view();
}

Picture pictureFrom(std::string_view bytes, const std::string& name) {
  const Kind* kind = kindOf(bytes);
  if (kind == nullptr || kind->decode == nullptr) {
    throw UserError(
        fmt::format("{} is {}: save the picture as PNG, JPEG or WebP", name,
                    kind == nullptr ? "no PNG, JPEG or WebP file" : std::string(kind->is)));
  }
  Decoded found = kind->decode(bytes, name);
  return upright(std::move(found.picture), found.orientation);
}

Picture readPicture(const std::filesystem::path& path) {
  if (const auto shipped = shippedPicture(path)) return pictureOf(shipped->drawing());
  return pictureFrom(readText(path, kMostPictureBytes, "picture"), path.string());
}

}  // namespace headscope::formats
