// Film files: read back by the libraries' decoders; what is stopped, fails or is refused leaves
// nothing.
#include "app/host/film_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

#include "app/host/film_palette.h"
#include "core/base/error.h"
#include "tests/core/test_files.h"
#include "tests/films/read_film.h"

namespace headscope::host {
namespace {

namespace fs = std::filesystem;

constexpr FilmFormat kFormat{48, 32, 10};

/// A picture whose pixels are `color` but for a square at `x`.
Image square(int x, std::uint8_t color) {
  Image image{kFormat.width, kFormat.height, {}};
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      const bool inside = column >= x && column < x + 8 && row >= 8 && row < 16;
      const std::uint8_t value = inside ? 10 : color;
      image.rgba.insert(image.rgba.end(),
                        {value, color, static_cast<std::uint8_t>(255 - color), 7});
    }
  }
  return image;
}

/// A picture of more colours than a palette has: half of it flat, the rest different everywhere.
Image colorful() {
  Image image{kFormat.width, kFormat.height, {}};
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      const bool flat = row < image.height / 2;
      const auto red = static_cast<std::uint8_t>(flat ? 247 : 5 * column);
      const auto green = static_cast<std::uint8_t>(flat ? 248 : 8 * row);
      const auto blue = static_cast<std::uint8_t>(flat ? 250 : 3 * (column + row));
      image.rgba.insert(image.rgba.end(), {red, green, blue, 255});
    }
  }
  return image;
}

class FilmFileTest : public testing::Test {
 protected:
  void writeSquares(const fs::path& path) {
    const auto film = FilmFile::begin(path, kFormat);
    for (const int x : {0, 0, 0, 4, 30}) film->add(square(x, 200));
    film->finish();
  }
  void isOfSquares(const std::vector<FilmPicture>& film) {
    ASSERT_EQ(film.size(), 3U);  // equal ones are one that lasts
    EXPECT_EQ(film[0].milliseconds, 300);
    EXPECT_EQ(film[1].milliseconds, 100);
    EXPECT_EQ(film[2].milliseconds, 100);
    EXPECT_EQ(largestDifference(film[0].image, square(0, 200)), 0);
    EXPECT_EQ(largestDifference(film[1].image, square(4, 200)), 0);
    EXPECT_EQ(largestDifference(film[2].image, square(30, 200)), 0);
  }
  /// Returns the sentence of the refusal.
  static std::string refusal(const fs::path& path) {
    try {
      FilmFile::begin(path, kFormat);
    } catch (const UserError& error) {
      return error.what();
    }
    ADD_FAILURE() << path << " was not refused";
    return {};
  }
  bool isEmpty() const { return fs::is_empty(folder_.path()); }

  TempFolder folder_;
};

TEST_F(FilmFileTest, WebpHasEveryPixelAndTime) {
  writeSquares(folder_ / "f.webp");
  isOfSquares(readWebp(folder_ / "f.webp"));
}

TEST_F(FilmFileTest, GifHasEveryPixelOfFewColorsAndTime) {
  writeSquares(folder_ / "f.gif");
  isOfSquares(readGif(folder_ / "f.gif"));
}

TEST_F(FilmFileTest, GifKeepsTheFlatColorAndComesCloseToTheOthers) {
  const auto film = FilmFile::begin(folder_ / "f.gif", kFormat);
  film->add(colorful());
  film->finish();
  const auto read = readGif(folder_ / "f.gif");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].image.at(20, 3)[0], 247);
  EXPECT_EQ(read[0].image.at(20, 3)[2], 250);
  const int largest = largestDifference(read[0].image, colorful());
  EXPECT_GT(largest, 0);
  EXPECT_LE(largest, 12);
}

TEST_F(FilmFileTest, TimesAddUpWhereAPictureIsNoWholeNumberOfThem) {
  constexpr int kThirty = 30;
  for (const char* name : {"f.webp", "f.gif"}) {
    const auto film = FilmFile::begin(folder_ / name, {48, 32, kThirty});
    for (int i = 0; i < kThirty; ++i) film->add(square(i, 200));
    film->finish();
    const auto read =
        fs::path(name).extension() == ".gif" ? readGif(folder_ / name) : readWebp(folder_ / name);
    EXPECT_EQ(read.size(), 30U) << name;
    EXPECT_EQ(lengthOf(read), 1000) << name;
  }
}

TEST_F(FilmFileTest, OpacityIsNoChange) {
  Image other = square(0, 200);
  for (std::size_t i = 3; i < other.rgba.size(); i += 4) other.rgba[i] = 255;
  for (const char* name : {"f.webp", "f.gif"}) {
    const auto film = FilmFile::begin(folder_ / name, kFormat);
    for (const Image& picture : {square(0, 200), other, square(9, 200)}) film->add(picture);
    film->finish();
    const auto read =
        fs::path(name).extension() == ".gif" ? readGif(folder_ / name) : readWebp(folder_ / name);
    ASSERT_FALSE(read.empty()) << name;
    EXPECT_EQ(lengthOf(read), 300) << name;
    EXPECT_EQ(largestDifference(read.front().image, square(0, 200)), 0) << name;
    EXPECT_EQ(largestDifference(read.back().image, square(9, 200)), 0) << name;
  }
}

TEST_F(FilmFileTest, AStoppedFilmLeavesNothing) {
  for (const char* name : {"f.webp", "f.gif"}) {
    const auto film = FilmFile::begin(folder_ / name, kFormat);
    film->add(square(0, 200));
    film->add(square(9, 200));
    EXPECT_FALSE(isEmpty()) << "it is written beside its target: an unwritable folder is noticed";
  }
  EXPECT_TRUE(isEmpty());
}

TEST_F(FilmFileTest, AStoppedFilmKeepsTheFileThatIsThere) {
  const fs::path path = folder_.file("f.webp", "old");
  FilmFile::begin(path, kFormat)->add(square(0, 200));
  EXPECT_EQ(readAll(path), "old");
}

TEST_F(FilmFileTest, OtherNamesAreRefused) {
  EXPECT_NE(refusal(folder_ / "f.avi").find("ends in .webp or .gif or .mp4"), std::string::npos);
  EXPECT_NE(refusal(folder_ / "f").find("ends in .webp"), std::string::npos);
  EXPECT_NE(refusal(folder_ / "none" / "f.webp").find("none"), std::string::npos);
  fs::create_directory(folder_ / "folder.gif");
  EXPECT_NE(refusal(folder_ / "folder.gif").find("cannot write"), std::string::npos);
  fs::remove(folder_ / "folder.gif");
  EXPECT_TRUE(isEmpty());
}

TEST_F(FilmFileTest, APictureOfAnotherSizeIsRefused) {
  const auto film = FilmFile::begin(folder_ / "f.webp", {10, 10, 10});
  EXPECT_THROW(film->add(square(0, 200)), UserError);
}

TEST(FilmPalette, FewColorsAreExact) {
  const FilmPalette palette = paletteOf({{0x010203, 5}, {0xFFFFFF, 1}}, 255);
  ASSERT_EQ(palette.colors.size(), 2U);
  EXPECT_EQ(palette.colors[palette.indexOf.at(0x010203)], 0x010203U);
  EXPECT_EQ(palette.colors[palette.indexOf.at(0xFFFFFF)], 0xFFFFFFU);
}

TEST(FilmPalette, ManyColorsShareEntriesWithTheirNeighbours) {
  std::unordered_map<Rgb, std::uint32_t> counts;
  for (Rgb i = 0; i < 1000; ++i) counts[(i % 250) << 16U | (i / 250) << 8U] = 1 + i % 3;
  counts[0xF7F8FA] = 100'000;
  const FilmPalette palette = paletteOf(counts, 32);
  EXPECT_LE(palette.colors.size(), 32U);
  EXPECT_EQ(palette.colors[palette.indexOf.at(0xF7F8FA)], 0xF7F8FAU);
  for (const auto& [color, count] : counts) {
    const Rgb shown = palette.colors[palette.indexOf.at(color)];
    EXPECT_NEAR(static_cast<double>(color >> 16U), static_cast<double>(shown >> 16U), 16.0);
  }
}

}  // namespace
}  // namespace headscope::host
