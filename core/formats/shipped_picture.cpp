#include "core/formats/shipped_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/error.h"
#include "core/formats/shipped_model.h"

namespace headscope::formats {
namespace {

constexpr Index kMostNumber = 9999;

[[noreturn]] void refuseShippedPicture(const std::string& name) {
  throw UserError(fmt::format(
      "{} is no picture that comes with this program: give {}/circle, {}/square or {}/triangle, "
      "with a number from 1 to {} for another, as {}/circle-2",
      name, kShapesModel, kShapesModel, kShapesModel, kMostNumber, kShapesModel));
}

}  // namespace

std::string ShippedPicture::name() const {
  const std::string_view shape = images::kShapeNames[static_cast<std::size_t>(kind)];
  return number == 1 ? fmt::format("{}/{}", kShapesModel, shape)
                     : fmt::format("{}/{}-{}", kShapesModel, shape, number);
}

std::optional<ShippedPicture> shippedPicture(const std::filesystem::path& path) {
  if (!isShipped(path)) return std::nullopt;
  const std::string name = path.string();
  std::string_view rest = name;
  const std::string begins = fmt::format("{}/", kShapesModel);
  if (!rest.starts_with(begins)) refuseShippedPicture(name);
  rest.remove_prefix(begins.size());
  const std::string_view shape = rest.substr(0, rest.find('-'));
  const auto found = std::ranges::find(images::kShapeNames, shape);
  if (found == images::kShapeNames.end()) refuseShippedPicture(name);
  ShippedPicture picture{static_cast<images::ShapeKind>(found - images::kShapeNames.begin()), 1};
  if (shape.size() == rest.size()) return picture;
  const std::string_view digits = rest.substr(shape.size() + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), picture.number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || picture.number < 1 || picture.number > kMostNumber) refuseShippedPicture(name);
  return picture;
}

std::vector<bool> shapePatchesOf(const std::filesystem::path& picture,
                                 const model::ImageInput& image) {
  const auto drawn = shippedPicture(picture);
  const Index side = image.patch.width;
  const bool asDrawn = image.size == model::Extent{images::kDrawingSide, images::kDrawingSide} &&
                       image.patch.height == side && images::kDrawingSide % side == 0;
  return drawn && asDrawn ? touchedPatches(drawn->drawing(), side) : std::vector<bool>();
}

Picture pictureOf(const images::Drawing& drawing) {
  return {images::kDrawingSide, images::kDrawingSide, drawing.rgb};
}

}  // namespace headscope::formats
