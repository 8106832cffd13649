// Films as GIF files, by giflib. Each picture is the rectangle that has changed, with a palette of
// its own for what is new in it; unchanged pixels are transparent.
#include "app/host/film_file.h"

#ifdef HEADSCOPE_GIF
#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <memory>
#include <unordered_map>
#include <vector>

#include "app/host/film_palette.h"
#include "core/base/error.h"

namespace headscope::host {
namespace {

constexpr Index kCentiseconds = 100;

struct GifMapRelease {
  void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};
using GifMapPtr = std::unique_ptr<ColorMapObject, GifMapRelease>;

Rgb rgbAt(const Image& image, int x, int y) {
  const std::uint8_t* pixel = image.at(x, y);
  return static_cast<Rgb>(pixel[0] << 16 | pixel[1] << 8 | pixel[2]);
}

/// The part of a picture that is written: x from left to right, y from top to bottom.
struct ChangedPart {
  int left = 0, top = 0, right = 0, bottom = 0;

  int width() const { return right - left; }
};

/// Writes a file through giflib.
class GifStream {
 public:
  explicit GifStream(const std::filesystem::path& path)
      : file_(path, std::ios::binary | std::ios::trunc),
        gif_(EGifOpen(&file_, &GifStream::take, nullptr)) {}
  ~GifStream() {
    if (gif_ != nullptr) EGifCloseFile(gif_, nullptr);
  }
  GifStream(const GifStream&) = delete;
  GifStream& operator=(const GifStream&) = delete;

  GifFileType* gif() { return gif_; }
  /// Returns whether everything has been written.
  bool close() {
    const bool whole = EGifCloseFile(gif_, nullptr) == GIF_OK;
    gif_ = nullptr;
    file_.close();
    return whole && file_;
  }

 private:
  static int take(GifFileType* gif, const GifByteType* bytes, int count) {
    auto& file = *static_cast<std::ofstream*>(gif->UserData);
    file.write(reinterpret_cast<const char*>(bytes), count);
    return file ? count : 0;
  }

  std::ofstream file_;
  GifFileType* gif_;
};

class GifFilm final : public FilmFile {
 public:
  GifFilm(const std::filesystem::path& path, const FilmFormat& format)
      : FilmFile(path, format), stream_(temporary()) {
    constexpr int kBits = 8;
    constexpr GifByteType kWithoutEnd[] = {1, 0, 0};
    if (stream_.gif() == nullptr) fail("giflib does not start: no memory is left");
    EGifSetGifVersion(stream_.gif(), true);
    check(EGifPutScreenDesc(stream_.gif(), format.width, format.height, kBits, 0, nullptr));
    check(EGifPutExtensionLeader(stream_.gif(), APPLICATION_EXT_FUNC_CODE));
    check(EGifPutExtensionBlock(stream_.gif(), 11, "NETSCAPE2.0"));
    check(EGifPutExtensionBlock(stream_.gif(), sizeof(kWithoutEnd), kWithoutEnd));
    check(EGifPutExtensionTrailer(stream_.gif()));
  }

 private:
  /// The entry of the palette for pixels that stay as they are.
  static constexpr GifPixelType kStays = 0;
  static constexpr std::size_t kMostColors = 255;

  void check(int result) const {
    if (result != GIF_OK) fail("it cannot be written: is the disk full?");
  }

  bool changed(const Image& picture, int x, int y) const {
    return before_.rgba.empty() || rgbAt(picture, x, y) != rgbAt(before_, x, y);
  }

  void write(const Image& picture, Index from, Index to) override {
    std::unordered_map<Rgb, std::uint32_t> counts;
    const ChangedPart part = changedIn(picture, counts);
    const FilmPalette palette = paletteOf(counts, kMostColors);
    putTimes(timeOf(to, kCentiseconds) - timeOf(from, kCentiseconds));
    const GifMapPtr map = mapOf(palette);
    check(EGifPutImageDesc(stream_.gif(), part.left, part.top, part.width(), part.bottom - part.top,
                           false, map.get()));
    std::vector<GifPixelType> line(static_cast<std::size_t>(part.width()));
    for (int y = part.top; y < part.bottom; ++y) {
      for (int x = part.left; x < part.right; ++x) {
        line[static_cast<std::size_t>(x - part.left)] =
            changed(picture, x, y)
                ? static_cast<GifPixelType>(palette.indexOf.at(rgbAt(picture, x, y)) + 1)
                : kStays;
      }
      check(EGifPutLine(stream_.gif(), line.data(), part.width()));
    }
    before_ = picture;
  }

  /// Returns the rectangle of the changed pixels, at least one pixel large, and counts their
  /// colours.
  ChangedPart changedIn(const Image& picture,
                        std::unordered_map<Rgb, std::uint32_t>& counts) const {
    ChangedPart part{picture.width, picture.height, 0, 0};
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) {
        if (!changed(picture, x, y)) continue;
        ++counts[rgbAt(picture, x, y)];
        part = {std::min(part.left, x), std::min(part.top, y), std::max(part.right, x + 1),
                std::max(part.bottom, y + 1)};
      }
    }
    if (counts.empty()) return {0, 0, 1, 1};  // only their opacity differs, which no film has
    return part;
  }

  void putTimes(Index delay) {
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = static_cast<int>(delay);
    control.TransparentColor = kStays;
    GifByteType bytes[4];
    EGifGCBToExtension(&control, bytes);
    check(EGifPutExtension(stream_.gif(), GRAPHICS_EXT_FUNC_CODE, sizeof(bytes), bytes));
  }

  GifMapPtr mapOf(const FilmPalette& palette) const {
    std::vector<GifColorType> colors{GifColorType{}};
    for (const Rgb color : palette.colors) {
      colors.push_back({static_cast<GifByteType>(color >> 16U),
                        static_cast<GifByteType>(color >> 8U & 255U),
                        static_cast<GifByteType>(color & 255U)});
    }
    colors.resize(std::bit_ceil(std::max<std::size_t>(2, colors.size())));
    GifMapPtr map(GifMakeMapObject(static_cast<int>(colors.size()), colors.data()));
    if (map == nullptr) fail("giflib: no memory is left");
    return map;
  }

  void close() override {
    if (!stream_.close()) fail("it cannot be written: is the disk full?");
  }

  GifStream stream_;
  Image before_;
};

}  // namespace

std::unique_ptr<FilmFile> beginGif(const std::filesystem::path& path, const FilmFormat& format) {
  return std::make_unique<GifFilm>(path, format);
}

}  // namespace headscope::host
#else
namespace headscope::host {

std::unique_ptr<FilmFile> beginGif(const std::filesystem::path& /*path*/,
                                   const FilmFormat& /*format*/) {
  return nullptr;  // whyNoFilm() has refused
}

}  // namespace headscope::host
#endif
