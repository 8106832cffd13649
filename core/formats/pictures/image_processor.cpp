#include "core/formats/pictures/image_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/tensor/safetensors.h"

namespace headscope::formats {
namespace {

using model::Extent;

constexpr Index kMostSide = 16384;
constexpr Index kMostShownPixels = 100'000'000;  // of a picture that is made larger

/// The values that transformers sets where the file has none.
ImageProcessor defaultsOf(const model::ModelConfig& config) {
  const auto repeated = [&](std::initializer_list<float> three) {
    std::vector<float> values(three);
    values.resize(static_cast<std::size_t>(config.image.channels), values.front());
    return values;
  };
  ImageProcessor p;
  p.size = config.image.size;
  p.mean = p.deviation = repeated({0.5F, 0.5F, 0.5F});
  if (config.modelType == "vit") return p;
  p.kernel = Kernel::bicubic;
  p.mean = repeated({0.485F, 0.456F, 0.406F});
  p.deviation = repeated({0.229F, 0.224F, 0.225F});
  if (config.modelType == "deit") return p;
  p.size.reset();
  p.shortestEdge = std::min(config.image.size.height, config.image.size.width);
  p.crop = config.image.size;
  if (config.modelType != "clip_vision_model") return p;
  p.mean = repeated({0.48145466F, 0.4578275F, 0.40821073F});
  p.deviation = repeated({0.26862954F, 0.26130258F, 0.27577711F});
  return p;
}

Index sideOf(const JsonField& field) {
  const Index side = field.whole();
  if (side < 1 || side > kMostSide) {
    field.fail(fmt::format("is {}, and must be 1 to {}", side, kMostSide));
  }
  return side;
}

/// A number (height and width), a list of both, or an object of both.
Extent extentOf(const JsonField& field) {
  if (field.value().list() != nullptr) {
    const std::vector<JsonField> both = field.items();
    if (both.size() != 2) field.fail("must be a number or height and width");
    return {sideOf(both[0]), sideOf(both[1])};
  }
  if (field.value().fields() != nullptr) {
    return {sideOf(field.at("height")), sideOf(field.at("width"))};
  }
  const Index side = sideOf(field);
  return {side, side};
}

/// Reads the size. An older file gives a number alone, which is the shorter edge for processors
/// that then crop to another field, and both edges for the others.
void readSize(const JsonField& field, ImageProcessor& p) {
  const bool shortest = p.shortestEdge.has_value();
  p.size.reset();
  p.shortestEdge.reset();
  if (const auto edge =
          field.value().fields() != nullptr ? field.find("shortest_edge") : std::nullopt) {
    if (field.find("longest_edge")) field.fail("has a longest_edge, which is not computed here");
    p.shortestEdge = sideOf(*edge);
  } else if (shortest && field.value().number()) {
    p.shortestEdge = sideOf(field);
  } else {
    p.size = extentOf(field);
  }
}

Kernel kernelFrom(const JsonField& field) {
  constexpr std::array kKernels{Kernel::nearest, Kernel::lanczos, Kernel::bilinear,
                                Kernel::bicubic, Kernel::box,     Kernel::hamming};
  const Index number = field.whole();
  if (number < 0 || number >= std::ssize(kKernels)) {
    field.fail("must be the number of one of Pillow's kernels, 0 to 5");
  }
  return kKernels[static_cast<std::size_t>(number)];
}

std::vector<float> channelsFrom(const JsonField& field, Index channels) {
  std::vector<float> values =
      field.value().number()
          ? std::vector<float>(static_cast<std::size_t>(channels), field.float32())
          : field.floats();
  if (std::ssize(values) != channels) {
    field.fail(
        fmt::format("has {} numbers, and the model has {} channels", values.size(), channels));
  }
  return values;
}

ImageProcessor processorFrom(const JsonField& root, const model::ModelConfig& config) {
  ImageProcessor p = defaultsOf(config);
  const Index channels = config.image.channels;
  const auto isOn = [&](std::string_view name, bool otherwise) {
    const auto field = root.find(name);
    return field ? field->flag() : otherwise;
  };
  if (const auto size = root.find("size")) readSize(*size, p);
  if (!isOn("do_resize", true)) {
    p.size.reset();
    p.shortestEdge.reset();
  }
  if (const auto crop = root.find("crop_size")) p.crop = extentOf(*crop);
  if (!isOn("do_center_crop", true)) p.crop.reset();
  if (const auto kernel = root.find("resample")) p.kernel = kernelFrom(*kernel);
  if (const auto factor = root.find("rescale_factor")) p.factor = factor->number();
  if (!isOn("do_rescale", true)) p.factor = 1.0;
  if (const auto mean = root.find("image_mean")) p.mean = channelsFrom(*mean, channels);
  if (const auto deviation = root.find("image_std")) {
    p.deviation = channelsFrom(*deviation, channels);
    for (const float each : p.deviation) {
      if (!(each > 0.0F)) deviation->fail("must be above 0");
    }
  }
  if (!isOn("do_normalize", true)) {
    p.mean.clear();
    p.deviation.clear();
  }
  return p;
}

/// A tap's weight as Pillow counts it: in whole numbers of 2^−22.
constexpr int kBits = 22;
struct WholeTap {
  Index from;
  int weight;
};
std::vector<std::vector<WholeTap>> wholeTaps(Index from, Index to, Kernel kernel) {
  std::vector<std::vector<WholeTap>> all;
  for (const Taps& taps : tapsOf(from, to, kernel)) {
    std::vector<WholeTap> whole;
    for (const Tap& tap : taps) {
      const double scaled = tap.weight * double{1 << kBits};
      whole.push_back({tap.from, static_cast<int>(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5)});
    }
    all.push_back(std::move(whole));
  }
  return all;
}

/// The sum of three channels over taps, `stride` bytes from one place to the next.
void weigh(const std::uint8_t* from, Index stride, const std::vector<WholeTap>& taps,
           std::uint8_t* to) {
  for (Index channel = 0; channel < 3; ++channel) {
    int sum = 1 << (kBits - 1);
    for (const auto& [at, weight] : taps) sum += from[at * stride + channel] * weight;
    to[channel] = static_cast<std::uint8_t>(std::clamp(sum >> kBits, 0, 255));
  }
}

/// Pillow's luminance.
float luminance(const std::uint8_t* rgb) {
  return static_cast<float>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

}  // namespace

ImageProcessor imageProcessorOf(const std::filesystem::path& folder,
                                const model::ModelConfig& config) {
  // newer folders of CLIP keep the settings with those of texts
  for (const char* name : {"preprocessor_config.json", "processor_config.json"}) {
    const std::filesystem::path path = folder / name;
    std::error_code code;
    if (!std::filesystem::exists(path, code)) continue;
    constexpr std::uintmax_t kMostBytes = 1 << 20;
    const std::string file = path.string();
    const Json json = downloadedJson(readText(path, kMostBytes, name), file, {.depth = 8});
    const JsonField root(json, file);
    const auto inner = root.find("image_processor");
    return processorFrom(inner ? *inner : root, config);
  }
  return defaultsOf(config);
}

Picture resized(const Picture& picture, const Extent& size, Kernel kernel) {
  Picture across = picture;
  if (size.width != picture.width) {
    across = {size.width, picture.height, {}};
    across.rgb.resize(static_cast<std::size_t>(3 * size.width * picture.height));
    const auto taps = wholeTaps(picture.width, size.width, kernel);
    for (Index y = 0; y < picture.height; ++y) {
      for (Index x = 0; x < size.width; ++x) {
        weigh(picture.at(0, y), 3, taps[static_cast<std::size_t>(x)],
              across.rgb.data() + 3 * (y * size.width + x));
      }
    }
  }
  if (size.height == picture.height) return across;
  Picture down{size.width, size.height, {}};
  down.rgb.resize(static_cast<std::size_t>(3 * size.area()));
  const auto taps = wholeTaps(picture.height, size.height, kernel);
  for (Index y = 0; y < size.height; ++y) {
    for (Index x = 0; x < size.width; ++x) {
      weigh(across.at(x, 0), 3 * size.width, taps[static_cast<std::size_t>(y)],
            down.rgb.data() + 3 * (y * size.width + x));
    }
  }
  return down;
}

Picture shownPicture(const ImageProcessor& processor, const Picture& picture) {
  Picture shown = picture;
  if (processor.shortestEdge) {
    const Index shorter = std::min(picture.width, picture.height), edge = *processor.shortestEdge;
    const auto scaled = [&](Index side) { return std::max<Index>(1, side * edge / shorter); };
    const Extent size{scaled(picture.height), scaled(picture.width)};
    if (size.area() > kMostShownPixels) {
      throw UserError(
          fmt::format("a picture of {} × {} pixels would be resized to {} × {}: cut it "
                      "to a less narrow part",
                      picture.width, picture.height, size.width, size.height));
    }
    shown = resized(picture, size, processor.kernel);
  } else if (processor.size) {
    shown = resized(picture, *processor.size, processor.kernel);
  }
  if (!processor.crop) return shown;
  const Extent crop = *processor.crop;
  Picture cut{crop.width, crop.height,
              std::vector<std::uint8_t>(static_cast<std::size_t>(3 * crop.area()))};
  const auto before = [](Index whole, Index part) {  // rounded down, as Python's //
    return whole >= part ? (whole - part) / 2 : -((part - whole + 1) / 2);
  };
  const Index top = before(shown.height, crop.height), left = before(shown.width, crop.width);
  for (Index y = std::max<Index>(0, -top); y < std::min(crop.height, shown.height - top); ++y) {
    for (Index x = std::max<Index>(0, -left); x < std::min(crop.width, shown.width - left); ++x) {
      std::copy_n(shown.at(x + left, y + top), 3, cut.rgb.data() + 3 * (y * crop.width + x));
    }
  }
  return cut;
}

Tensor pixelsOf(const ImageProcessor& processor, const Picture& shown, Index channels) {
  if (channels != 1 && channels != 3) {
    throw UserError(fmt::format(
        "the model reads {} channels, and a picture gives 3, or 1 of luminance: give --pixels",
        channels));
  }
  const Index area = shown.width * shown.height;
  Tensor pixels = Tensor::uninitialised({channels, shown.height, shown.width});
  for (Index channel = 0; channel < channels; ++channel) {
    const auto at = static_cast<std::size_t>(channel);
    const float mean = processor.mean.empty() ? 0.0F : processor.mean[at];
    const float deviation = processor.deviation.empty() ? 1.0F : processor.deviation[at];
    float* to = pixels.mutableData() + channel * area;
    for (Index i = 0; i < area; ++i) {
      const std::uint8_t* rgb = shown.rgb.data() + 3 * i;
      const double value = channels == 1 ? double{luminance(rgb)} : double{float(rgb[channel])};
      to[i] = static_cast<float>((value * processor.factor - double{mean}) / double{deviation});
    }
  }
  return pixels;
}

Tensor readPixels(const std::filesystem::path& path) {
  constexpr const char* kName = "pixel_values";
  const SafetensorsFile file(path);
  if (!file.has(kName)) {
    throw UserError(fmt::format("{} has no tensor \"{}\": save the pixels under that name",
                                path.string(), kName));
  }
  const Shape shape = file.shape(kName);
  const bool batch = shape.size() == 4 && shape[0] == 1;
  if (shape.size() != 3 && !batch) {
    throw UserError(fmt::format(
        "\"{}\" in {} is {}: give one image, (channels, height, width) or (1, channels, height, "
        "width)",
        kName, path.string(), toString(shape)));
  }
  const Tensor pixels = file.read(kName);
  return batch ? pixels.reshaped({shape[1], shape[2], shape[3]}) : pixels;
}

}  // namespace headscope::formats
