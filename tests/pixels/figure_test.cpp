// Figures: an SVG and a PDF show what the window shows, their text can be selected, and they have
// no background.
#include "app/host/figure.h"

#include <gtest/gtest.h>
#include <stb_image.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/host/offscreen.h"
#include "app/ui/view_state.h"
#include "core/base/error.h"
#include "core/presets/presets.h"
#include "tests/core/test_files.h"

namespace headscope::host {
namespace {

constexpr int kFigureWidth = 1000, kFigureHeight = 640;

PictureRequest request(const char* page, const char* preset = "by-hand") {
  PictureRequest picture;
  picture.program.document = makePreset(presetByName(preset), {}, Index{2} << 30);
  picture.program.view.preferences.animate = false;
  picture.program.view.selection.page = page;
  picture.program.threads = 1;
  picture.width = kFigureWidth;
  picture.height = kFigureHeight;
  return picture;
}

std::string contentOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How a converted figure differs from the window's picture: the mean difference of a colour, and
/// the share of pixels in which it is large.
struct Difference {
  double mean = 0.0, large = 0.0;
};
Difference differenceOf(const std::string& converted, const Image& drawn) {
  int width = 0, height = 0, channels = 0;
  stbi_uc* pixels = stbi_load(converted.c_str(), &width, &height, &channels, 4);
  Difference found;
  EXPECT_NE(pixels, nullptr) << converted;
  EXPECT_EQ(width, drawn.width);
  EXPECT_EQ(height, drawn.height);
  if (pixels == nullptr || width != drawn.width || height != drawn.height) return found;
  const int count = width * height;
  for (int i = 0; i < count; ++i) {
    int most = 0;
    for (int channel = 0; channel < 3; ++channel) {
      const int at = 4 * i + channel;
      most =
          std::max(most, std::abs(int{pixels[at]} - int{drawn.rgba[static_cast<std::size_t>(at)]}));
    }
    found.mean += static_cast<double>(most) / count;
    found.large += most > 96 ? 1.0 / count : 0.0;
  }
  stbi_image_free(pixels);
  return found;
}

class Figure : public testing::Test {
 protected:
  void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  TempFolder folder_;
};

TEST_F(Figure, ShowsWhatTheWindowShows) {
  struct Shown {
    const char *page, *preset;
  };
  for (const auto& [page, preset] : {Shown{ui::kStagePage, "by-hand"},
                                     {ui::kFlowPage, "by-hand"},
                                     {ui::kHeadsPage, "by-hand"},
                                     {ui::kStagePage, "vit-base"}}) {
    const Image drawn = drawPicture(request(page, preset));
    PictureRequest figure = request(page, preset);
    figure.path = path("f.svg");
    writeFigure(figure);
    const std::uint8_t* background = drawn.at(0, kFigureHeight - 1);
    run("rsvg-convert --width 1000 --height 640 --background-color 'rgb(" +
        std::to_string(background[0]) + "," + std::to_string(background[1]) + "," +
        std::to_string(background[2]) + ")' --output " + path("svg.png") + " " + path("f.svg"));
    const Difference svg = differenceOf(path("svg.png"), drawn);
    EXPECT_LT(svg.mean, 5.0) << page << preset;
    EXPECT_LT(svg.large, 0.004) << page << preset;
    figure.path = path("f.pdf");
    writeFigure(figure);
    run("pdftoppm -png -singlefile -scale-to-x 1000 -scale-to-y 640 " + path("f.pdf") + " " +
        path("pdf"));
    const Difference pdf = differenceOf(path("pdf.png"), drawn);
    EXPECT_LT(pdf.mean, 16.0) << page << preset;  // a page is white where the window is not
    EXPECT_LT(pdf.large, 0.02) << page << preset;
  }
}

TEST_F(Figure, TextCanBeSelected) {
  PictureRequest figure = request(ui::kStagePage);
  figure.path = path("f.pdf");
  writeFigure(figure);
  run("pdftotext " + path("f.pdf") + " " + path("f.txt"));
  EXPECT_NE(contentOf(path("f.txt")).find("How it gets there"), std::string::npos);
  figure.path = path("f.svg");
  writeFigure(figure);
  EXPECT_NE(contentOf(path("f.svg")).find("How it gets there</text>"), std::string::npos);
}

TEST_F(Figure, HasItsWidthOnPaper) {
  PictureRequest figure = request(ui::kStagePage);
  figure.path = path("f.svg");
  writeFigure(figure, 10.0);
  const std::string file = contentOf(path("f.svg"));
  EXPECT_NE(file.find("width=\"283.46"), std::string::npos) << file.substr(0, 300);  // points
}

TEST_F(Figure, AFileThatCannotBeWrittenIsNamed) {
  PictureRequest figure = request(ui::kStagePage);
  figure.path = folder_ / "none" / "f.svg";
  try {
    writeFigure(figure);
    FAIL() << "was written";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("f.svg"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace headscope::host
