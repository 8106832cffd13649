// Pictures: what is read of PNG, JPEG and WebP files, resized and cropped, compared with Pillow;
// and files that cannot be read.
#include <gtest/gtest.h>

#include <cmath>

#include "core/formats/pictures/image_processor.h"
#include "core/formats/pictures/picture.h"
#include "core/tensor/safetensors.h"
#include "tests/core/support/documents.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

using formats::ImageProcessor;
using formats::Picture;
using formats::pictureFrom;
using formats::readPicture;

std::filesystem::path pictureFile(const std::string& name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / "pictures" / name;
}
const SafetensorsFile& expectedFile() {
  static const SafetensorsFile file(pictureFile("expected.safetensors"));
  return file;
}

/// The largest difference from a picture that Pillow gave, (height, width, 3).
double differenceFromPillow(const Picture& picture, const std::string& name) {
  const Tensor expected = expectedFile().read(name);
  EXPECT_EQ(expected.shape(), (Shape{picture.height, picture.width, 3}));
  double most = 0.0;
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) {
    most = std::max(most, std::abs(double{expected.data()[i]} - double(picture.rgb[i])));
  }
  return most;
}

TEST(Pictures, AreReadAsPillowReadsThem) {
  int read = 0;
  for (const std::string& name : expectedFile().names()) {
    constexpr std::string_view kRead = "read.";
    if (!name.starts_with(kRead)) continue;
    const Picture picture = readPicture(pictureFile(name.substr(kRead.size())));
    // decoders of lossy files may round to a neighbouring value
    EXPECT_LE(differenceFromPillow(picture, name), name.find("lossy") == name.npos ? 0.0 : 1.0)
        << name;
    ++read;
  }
  EXPECT_EQ(read, 23);
}

TEST(Pictures, AreResizedAsByPillow) {
  const Picture picture = readPicture(pictureFile("rgb.png"));
  const std::vector<std::pair<const char*, Kernel>> kernels{
      {"nearest", Kernel::nearest}, {"lanczos", Kernel::lanczos}, {"bilinear", Kernel::bilinear},
      {"bicubic", Kernel::bicubic}, {"box", Kernel::box},         {"hamming", Kernel::hamming}};
  for (const auto& [kernel, value] : kernels) {
    for (const model::Extent& size : {model::Extent{5, 7}, {29, 40}, {20, 18}}) {
      const std::string name = std::string("resized.") + kernel + "." + std::to_string(size.width) +
                               "x" + std::to_string(size.height);
      EXPECT_EQ(differenceFromPillow(formats::resized(picture, size, value), name), 0.0) << name;
    }
  }
}

class ImageProcessors : public testing::Test {
 protected:
  /// The pixels of a file in a folder with such settings.
  Tensor pixels(const std::string& settings, const model::ModelConfig& config) const {
    if (!settings.empty()) folder.file("preprocessor_config.json", settings);
    const ImageProcessor processor = formats::imageProcessorOf(folder.path(), config);
    return formats::pixelsOf(processor, formats::shownPicture(processor, picture),
                             config.image.channels);
  }
  static model::ModelConfig configOf(const char* type, Index side, Index channels = 3) {
    model::ModelConfig config;
    config.modelType = type;
    config.image.size = {side, side};
    config.image.patch = {4, 4};
    config.image.channels = channels;
    return config;
  }
  void expectPixels(const Tensor& found, const char* name) const {
    const Tensor expected = expectedFile().read(name);
    ASSERT_EQ(found.shape(), expected.shape()) << name;
    for (Index i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found.data()[i], expected.data()[i], 1e-6) << name;
    }
  }

  TempFolder folder;
  Picture picture = readPicture(pictureFile("rgb.png"));
};

constexpr const char* kClip =
    R"({"crop_size": CROP, "do_center_crop": true, "do_resize": true, "size": SIZE, "resample": 3,
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711]})";

std::string clipWith(const std::string& crop, const std::string& size) {
  std::string text = kClip;
  text.replace(text.find("CROP"), 4, crop);
  text.replace(text.find("SIZE"), 4, size);
  return text;
}

TEST_F(ImageProcessors, ReadOlderAndNewerFormsOfASize) {
  const model::ModelConfig config = configOf("clip_vision_model", 8);
  expectPixels(pixels("", config), "pixels.clip");  // its defaults are transformers'
  expectPixels(pixels(clipWith("8", "8"), config), "pixels.clip");
  expectPixels(pixels(clipWith(R"({"height": 8, "width": 8})", R"({"shortest_edge": 8})"), config),
               "pixels.clip");
}

TEST_F(ImageProcessors, ReadTheSettingsWithinAProcessor) {
  folder.file("processor_config.json",
              R"({"image_processor": )" + clipWith("8", "8") + R"(, "processor_class": "x"})");
  expectPixels(pixels("", configOf("clip_vision_model", 16)), "pixels.clip");
}

TEST_F(ImageProcessors, StretchToASquareWhereTheFileGivesBothEdges) {
  const model::ModelConfig config = configOf("vit", 16);
  expectPixels(pixels("", config), "pixels.vit");
  expectPixels(pixels(R"({"size": 16, "resample": 2, "image_mean": [0.5, 0.5, 0.5],
                          "image_std": [0.5, 0.5, 0.5], "do_normalize": true})",
                      config),
               "pixels.vit");
}

TEST_F(ImageProcessors, PadWhereACropIsLarger) {
  expectPixels(pixels(R"({"do_resize": false, "do_normalize": false, "do_center_crop": true,
                          "crop_size": {"height": 20, "width": 15}})",
                      configOf("vit", 16)),
               "pixels.padded");
}

TEST_F(ImageProcessors, GiveAModelOfOneChannelLuminance) {
  expectPixels(pixels(R"({"do_resize": false, "image_mean": [0.5], "image_std": [0.5]})",
                      configOf("vit", 16, 1)),
               "pixels.luminance");
  expectUserError([&] { pixels("", configOf("vit", 16, 4)); }, "4 channels");
}

TEST_F(ImageProcessors, SettingsThatCannotBeUsedAreNamed) {
  const model::ModelConfig config = configOf("vit", 16);
  const auto refused = [&](const char* settings, const char* says) {
    expectUserError([&] { pixels(settings, config); }, "preprocessor_config.json", says);
  };
  refused(R"({"size": 0})", "size");
  refused(R"({"size": [1, 2, 3]})", "size");
  refused(R"({"size": {"shortest_edge": 8, "longest_edge": 20}})", "longest_edge");
  refused(R"({"resample": 7})", "resample");
  refused(R"({"image_std": [0.5, 0, 0.5]})", "image_std");
  refused(R"({"image_mean": [0.5, 0.5]})", "image_mean");
}

TEST(Pictures, ThatCannotBeReadGiveASentence) {
  const auto refused = [](const std::string& bytes, const char* says) {
    expectUserError([&] { pictureFrom(bytes, "sun.png"); }, "sun.png", says);
  };
  refused(readAll(pictureFile("animated.webp")), "an animation");
  refused(readAll(pictureFile("picture.gif")), "a GIF");
  refused("hello", "no PNG, JPEG or WebP");
  refused("", "no PNG, JPEG or WebP");
  std::string huge = readAll(pictureFile("rgb.png"));
  huge[17] = '\x7f';  // the width, which the checksum then contradicts
  refused(huge, "damaged");
}

/// libjpeg-turbo reports an error behind a warning as a mere warning.
TEST(Pictures, AJpegThatIsCutIsNeverReadInPart) {
  for (const char* name : {"progressive.jpg", "color.jpg"}) {
    const std::string whole = readAll(pictureFile(name));
    for (std::size_t end = 4; end < whole.size(); ++end) {
      expectUserError([&] { pictureFrom(whole.substr(0, end), "sun.jpg"); }, "sun.jpg");
    }
    expectUserError([&] { pictureFrom(whole.substr(0, whole.size() - 9), "sun.jpg"); },
                    "is cut short");
    // bytes behind the first segment are a mere warning
    std::string padded = whole;
    padded.insert(20, std::string(3, '\0'));
    EXPECT_EQ(pictureFrom(padded, name).rgb, pictureFrom(whole, name).rgb);
  }
}

/// However a file is cut or changed, it gives a picture or a sentence.
TEST(Pictures, CutAndChangedFilesGiveAPictureOrASentence) {
  for (const char* name : {"palette_clear.png", "rgba.png", "turned5.png", "progressive.jpg",
                           "cmyk.jpg", "turned6.jpg", "lossy.webp", "clear.webp", "turned3.webp"}) {
    const std::string whole = readAll(pictureFile(name));
    int refused = 0;
    const auto attempt = [&](const std::string& bytes) {
      try {
        const Picture picture = pictureFrom(bytes, name);
        EXPECT_EQ(std::ssize(picture.rgb), 3 * picture.width * picture.height);
      } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
        ++refused;
      }
    };
    for (std::size_t end = 0; end < whole.size(); end += 1 + whole.size() / 97) {
      attempt(whole.substr(0, end));
    }
    EXPECT_GT(refused, 50) << name;
    for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 199) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ 0x5a);
      attempt(changed);
    }
  }
}

TEST(Pictures, ATooLargeOneIsRefusedBeforeMemoryIsTaken) {
  // a JPEG's header may give any size: 65,000 × 65,000
  std::string jpeg = readAll(pictureFile("color.jpg"));
  const std::size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  for (const std::size_t side : {frame + 5, frame + 7}) {
    jpeg[side] = '\xfd';
    jpeg[side + 1] = '\xe8';
  }
  expectUserError([&] { pictureFrom(jpeg, "sun.jpg"); }, "65,000 × 65,000");
}

TEST(Pictures, PixelsComeFromATensor) {
  const TempFolder folder;
  const auto file = folder / "pixels.safetensors";
  const Tensor pixels = randomTensor({1, 3, 4, 5}, 1, "pixels", 1.0F);
  writeSafetensors(file, std::vector<NamedTensor>{{"pixel_values", pixels}}, {});
  EXPECT_EQ(formats::readPixels(file).shape(), (Shape{3, 4, 5}));
  EXPECT_EQ(formats::readPixels(file).values(), pixels.values());
  writeSafetensors(
      file, std::vector<NamedTensor>{{"pixel_values", randomTensor({2, 3, 4, 5}, 1, "p", 1.0F)}},
      {});
  expectUserError([&] { formats::readPixels(file); }, "(2, 3, 4, 5)");
  writeSafetensors(file, std::vector<NamedTensor>{{"x", pixels}}, {});
  expectUserError([&] { formats::readPixels(file); }, "pixel_values");
}

}  // namespace
}  // namespace headscope::test
