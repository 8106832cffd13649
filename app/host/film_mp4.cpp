// Films as MP4 files, by the program ffmpeg: it reads the pixels of every picture.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "app/host/film_file.h"
#include "core/base/error.h"
#include "core/platform/child_process.h"

namespace headscope::host {
namespace {

class Mp4Film final : public FilmFile {
 public:
  Mp4Film(const std::filesystem::path& path, const FilmFormat& format) : FilmFile(path, format) {
    // players need even sides, colours at half the resolution, and the matrix that they assume
    std::istringstream words(
        fmt::format("-hide_banner -loglevel error -y "
                    "-f rawvideo -pixel_format rgb0 -video_size {}x{} -framerate {} -i pipe:0 "
                    "-vf pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,"
                    "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p "
                    "-colorspace bt709 -color_primaries bt709 -color_trc bt709 "
                    "-codec:v libx264 -preset veryfast -crf 18 -movflags +faststart -f mp4",
                    format.width, format.height, format.fps));
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    arguments.push_back("file:" + temporary().string());
    ffmpeg_ = platform::ChildProcess::start(platform::findProgram("ffmpeg"), arguments);
    if (ffmpeg_ == nullptr) fail("the program ffmpeg does not start: choose .webp or .gif");
  }

 private:
  void write(const Image& picture, Index from, Index to) override {
    const std::span bytes(reinterpret_cast<const char*>(picture.rgba.data()), picture.rgba.size());
    for (Index shown = from; shown < to; ++shown) {
      if (!ffmpeg_->write(bytes)) failInFfmpeg();
    }
  }

  void close() override {
    if (!ffmpeg_->finish()) failInFfmpeg();
  }

  [[noreturn]] void failInFfmpeg() {
    ffmpeg_->finish();
    std::string why = ffmpeg_->errors();
    why.resize(std::min(why.find('\n'), why.size()));
    fail(fmt::format("the program ffmpeg has ended{}{}; choose .webp or .gif",
                     why.empty() ? "" : ": ", why));
  }

  std::unique_ptr<platform::ChildProcess> ffmpeg_;
};

}  // namespace

std::unique_ptr<FilmFile> beginMp4(const std::filesystem::path& path, const FilmFormat& format) {
  return std::make_unique<Mp4Film>(path, format);
}

}  // namespace headscope::host
