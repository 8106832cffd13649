// PNG files, by libpng.
#include <cstring>

#include "core/formats/pictures/decoders.h"

#ifdef HEADSCOPE_PNG
#include <png.h>

#include <csetjmp>
#endif

namespace headscope::formats {

#ifdef HEADSCOPE_PNG

namespace {

constexpr const char* kCutShort = "is cut short";

struct Source {
  std::string_view left;
};

void readFrom(png_structp png, png_bytep to, std::size_t count) {
  auto& source = *static_cast<Source*>(png_get_io_ptr(png));
  if (source.left.size() < count) png_error(png, kCutShort);
  std::memcpy(to, source.left.data(), count);
  source.left.remove_prefix(count);
}

struct Reason {
  const char* text = "is damaged";
};

/// libpng leaves by longjmp: the functions below that call it own nothing that needs a destructor.
[[noreturn]] void leave(png_structp png, png_const_charp why) {
  auto& reason = *static_cast<Reason*>(png_get_error_ptr(png));
  if (std::strcmp(why, kCutShort) == 0) reason.text = kCutShort;
  png_longjmp(png, 1);
}
void passOver(png_structp /*png*/, png_const_charp /*warning*/) {}

/// The file as far as its size, ready for rows of RGB. Returns whether it can be read.
bool readHeader(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT(cert-err52-cpp)
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool readRows(png_structp png, png_infop info, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT(cert-err52-cpp)
  png_read_image(png, rows);
  png_read_end(png, info);
  return true;
}

/// libpng's two structures, freed together.
struct PngReader {
  explicit PngReader(Source& source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &reason, leave, passOver)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info != nullptr) png_set_read_fn(png, &source, readFrom);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Reason reason;
  png_structp png;
  png_infop info;
};

}  // namespace

Decoded decodePng(std::string_view bytes, const std::string& name) {
  Source source{bytes};
  PngReader reader(source);
  const auto fail = [&] { refusePicture(name, reader.reason.text); };
  if (reader.info == nullptr || !readHeader(reader.png, reader.info)) fail();
  constexpr std::size_t kChannels = 3;
  Decoded found{blankPicture(png_get_image_width(reader.png, reader.info),
                             png_get_image_height(reader.png, reader.info), name),
                1};
  Picture& picture = found.picture;
  const auto width = static_cast<std::size_t>(picture.width) * kChannels;
  if (png_get_rowbytes(reader.png, reader.info) != width) fail();
  std::vector<png_bytep> rows;
  for (Index y = 0; y < picture.height; ++y) {
    rows.push_back(picture.rgb.data() + static_cast<std::size_t>(y) * width);
  }
  if (!readRows(reader.png, reader.info, rows.data())) fail();
#ifdef PNG_eXIf_SUPPORTED
  png_uint_32 count = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(reader.png, reader.info, &count, &exif) != 0 && exif != nullptr) {
    found.orientation = orientationFrom({reinterpret_cast<const char*>(exif), count});
  }
#endif
  return found;
}

#else

Decoded decodePng(std::string_view /*bytes*/, const std::string& name) {
  refusePicture(name, "is a PNG, and this program was built without libpng");
}

#endif

}  // namespace headscope::formats
