// InputPicture: the image that the tokens of a document are patches of, as small pictures of its
// tokens. A series of patches gives the mean colour of each; the shipped example has its drawing.
#pragma once

#include <optional>

#include "app/ui/parts/token_pictures.h"
#include "core/document/fwd.h"

namespace headscope {

class InputPicture {
 public:
  /// The patches of the first item's image; none where the input is no image. They are made again
  /// when X has changed.
  const ui::TokenPictures* of(const Document& document);

 private:
  std::optional<ui::TokenPictures> pictures_;
  Tensor x_;  // that they were made for
  std::uint64_t made_ = 0;
};

}  // namespace headscope
