#include "tests/films/read_film.h"

#include <gif_lib.h>
#include <gtest/gtest.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace headscope::host {

std::vector<FilmPicture> readWebp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
  WebPAnimInfo about;
  std::vector<FilmPicture> film;
  if (decoder == nullptr || WebPAnimDecoderGetInfo(decoder, &about) == 0) {
    ADD_FAILURE() << path << " is no animated WebP file";
    return film;
  }
  const auto width = static_cast<int>(about.canvas_width);
  const auto height = static_cast<int>(about.canvas_height);
  int before = 0;
  while (WebPAnimDecoderHasMoreFrames(decoder) != 0) {
    std::uint8_t* pixels = nullptr;
    int end = 0;
    if (WebPAnimDecoderGetNext(decoder, &pixels, &end) == 0) {
      ADD_FAILURE() << path << " breaks off";
      break;
    }
    const auto count = 4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    film.push_back({{width, height, {pixels, pixels + count}}, end - std::exchange(before, end)});
  }
  WebPAnimDecoderDelete(decoder);
  return film;
}

std::vector<FilmPicture> readGif(const std::filesystem::path& path) {
  GifFileType* gif = DGifOpenFileName(path.string().c_str(), nullptr);
  std::vector<FilmPicture> film;
  if (gif == nullptr || DGifSlurp(gif) != GIF_OK) {
    ADD_FAILURE() << path << " is no GIF file";
    return film;
  }
  const auto width = static_cast<std::size_t>(gif->SWidth);
  const auto height = static_cast<std::size_t>(gif->SHeight);
  Image now{gif->SWidth, gif->SHeight, std::vector<std::uint8_t>(4 * width * height, 255)};
  for (int n = 0; n < gif->ImageCount; ++n) {
    const SavedImage& saved = gif->SavedImages[n];
    const GifImageDesc& at = saved.ImageDesc;
    GraphicsControlBlock control{};
    DGifSavedExtensionToGCB(gif, n, &control);
    const GifByteType* from = saved.RasterBits;
    for (int y = at.Top; y < at.Top + at.Height; ++y) {
      for (int x = at.Left; x < at.Left + at.Width; ++x, ++from) {
        if (*from == control.TransparentColor) continue;
        const GifColorType color = at.ColorMap->Colors[*from];
        auto* pixel = now.rgba.data() + (now.at(x, y) - now.rgba.data());
        pixel[0] = color.Red;
        pixel[1] = color.Green;
        pixel[2] = color.Blue;
      }
    }
    film.push_back({now, 10 * control.DelayTime});
  }
  DGifCloseFile(gif, nullptr);
  return film;
}

int lengthOf(const std::vector<FilmPicture>& film) {
  int length = 0;
  for (const FilmPicture& picture : film) length += picture.milliseconds;
  return length;
}

int largestDifference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 256;
  int largest = 0;
  for (std::size_t i = 0; i < a.rgba.size(); ++i) {
    if (i % 4 != 3) largest = std::max(largest, std::abs(a.rgba[i] - b.rgba[i]));
  }
  return largest;
}

}  // namespace headscope::host
