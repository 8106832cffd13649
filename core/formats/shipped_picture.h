// Shipped pictures: drawings of shapes that open wherever a picture's file is expected. Their names
// replace the path: "headscope:shapes/circle" is the first circle, "headscope:shapes/circle-2" the
// second; every machine draws the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/pictures/picture.h"
#include "core/images/shapes.h"
#include "core/model/image_input.h"

namespace headscope::formats {

struct ShippedPicture {
  images::ShapeKind kind = images::ShapeKind::circle;
  Index number = 1;  // from 1

  std::string name() const;
  images::Drawing drawing() const { return images::exampleDrawing(kind, number); }
  bool operator==(const ShippedPicture&) const = default;
};

/// The picture of a name; nothing for the path of a file. Throws UserError that shows the form of a
/// name.
std::optional<ShippedPicture> shippedPicture(const std::filesystem::path& path);
/// For each patch of a model's, whether the shape of a drawing touches it; empty for a file, and
/// for a model that reads drawings in another size.
std::vector<bool> shapePatchesOf(const std::filesystem::path& picture,
                                 const model::ImageInput& image);
/// The pixels of a drawing.
Picture pictureOf(const images::Drawing& drawing);

}  // namespace headscope::formats
