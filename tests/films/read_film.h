// Reads films back, by the libraries' decoders: each picture whole, and how long it is shown.
#pragma once

#include <filesystem>
#include <vector>

#include "app/host/image.h"

namespace headscope::host {

struct FilmPicture {
  Image image;
  int milliseconds = 0;
};

/// Fails the test, and returns nothing, where the file is no animated WebP.
std::vector<FilmPicture> readWebp(const std::filesystem::path& path);
/// Likewise for a GIF file.
std::vector<FilmPicture> readGif(const std::filesystem::path& path);

/// The length of a film in milliseconds.
int lengthOf(const std::vector<FilmPicture>& film);

/// The largest difference of two pictures' colours in a channel; 256 where their sizes differ.
int largestDifference(const Image& a, const Image& b);

}  // namespace headscope::host
