// Films as animated WebP files, by libwebpmux. Without loss: letters and cells stay as sharp as in
// the window, and flat colours take less room than a photograph's blocks would.
#include "app/host/film_file.h"

#ifdef HEADSCOPE_WEBPMUX
#include <webp/encode.h>
#include <webp/mux.h>

#include <fstream>
#include <memory>
#include <utility>

#include "core/base/error.h"

namespace headscope::host {
namespace {

constexpr Index kMilliseconds = 1000;
constexpr float kWebpEffort = 30.0F;  // of 100; more takes longer and saves little
constexpr int kWebpMethod = 1;

struct WebpRelease {
  void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
};

/// A picture as the library takes it.
class WebpPicture {
 public:
  explicit WebpPicture(const Image& image) {
    if (WebPPictureInit(&picture_) == 0) return;
    picture_.use_argb = 1;
    picture_.width = image.width;
    picture_.height = image.height;
    read_ = WebPPictureImportRGBX(&picture_, image.rgba.data(), 4 * image.width) != 0;
  }
  ~WebpPicture() { WebPPictureFree(&picture_); }
  WebpPicture(const WebpPicture&) = delete;
  WebpPicture& operator=(const WebpPicture&) = delete;

  /// Null where memory ran out.
  WebPPicture* get() { return read_ ? &picture_ : nullptr; }

 private:
  WebPPicture picture_{};
  bool read_ = false;
};

class WebpFilm final : public FilmFile {
 public:
  WebpFilm(const std::filesystem::path& path, const FilmFormat& format) : FilmFile(path, format) {
    WebPAnimEncoderOptions options;
    const bool known = WebPAnimEncoderOptionsInit(&options) != 0 && WebPConfigInit(&config_) != 0;
    options.anim_params.loop_count = 0;  // begins again, without end
    // a whole picture only where it is smaller than what has changed
    options.kmin = 0;
    options.kmax = 0;
    config_.lossless = 1;
    config_.quality = kWebpEffort;
    config_.method = kWebpMethod;
    if (known) encoder_.reset(WebPAnimEncoderNew(format.width, format.height, &options));
    if (encoder_ == nullptr) fail("libwebpmux does not start: choose a smaller size");
  }

 private:
  void write(const Image& picture, Index from, Index to) override {
    WebpPicture given(picture);
    const auto start = static_cast<int>(timeOf(from, kMilliseconds));
    if (given.get() == nullptr ||
        WebPAnimEncoderAdd(encoder_.get(), given.get(), start, &config_) == 0) {
      failInEncoder();
    }
    end_ = static_cast<int>(timeOf(to, kMilliseconds));
  }

  void close() override {
    WebPData data;
    WebPDataInit(&data);
    if (WebPAnimEncoderAdd(encoder_.get(), nullptr, end_, nullptr) == 0 ||
        WebPAnimEncoderAssemble(encoder_.get(), &data) == 0) {
      failInEncoder();
    }
    std::ofstream file(temporary(), std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data.bytes), static_cast<std::streamsize>(data.size));
    file.close();
    WebPDataClear(&data);
    if (!file) fail("it cannot be written: is the disk full?");
  }

  [[noreturn]] void failInEncoder() const {
    const char* why = WebPAnimEncoderGetError(encoder_.get());
    fail(std::string("libwebpmux: ") +
         (why != nullptr && *why != '\0' ? why : "no memory is left"));
  }

  WebPConfig config_{};
  std::unique_ptr<WebPAnimEncoder, WebpRelease> encoder_;
  int end_ = 0;
};

}  // namespace

std::unique_ptr<FilmFile> beginWebp(const std::filesystem::path& path, const FilmFormat& format) {
  return std::make_unique<WebpFilm>(path, format);
}

}  // namespace headscope::host
#else
namespace headscope::host {

std::unique_ptr<FilmFile> beginWebp(const std::filesystem::path& /*path*/,
                                    const FilmFormat& /*format*/) {
  return nullptr;  // whyNoFilm() has refused
}

}  // namespace headscope::host
#endif
