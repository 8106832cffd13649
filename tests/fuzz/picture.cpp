// Picture: a whole PNG, JPEG or WebP file. What is accepted is resized and becomes a model's
// pixels.
#include "core/formats/pictures/image_processor.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

void use(std::string_view input) {
  const formats::Picture picture = formats::pictureFrom(input, "picture");
  fuzz::require(std::ssize(picture.rgb) == 3 * picture.width * picture.height);
  constexpr Index kMostPixels = 1 << 16;
  if (picture.width * picture.height > kMostPixels) return;
  formats::ImageProcessor processor;
  processor.shortestEdge = 8;
  processor.crop = model::Extent{8, 8};
  processor.kernel = Kernel::bicubic;
  const Tensor pixels = formats::pixelsOf(processor, formats::shownPicture(processor, picture), 3);
  fuzz::require(pixels.shape() == Shape{3, 8, 8});
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headscope::fuzz::accepted([&] { headscope::use(headscope::fuzz::textOf(data, size)); });
  return 0;
}
