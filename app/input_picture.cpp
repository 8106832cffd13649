#include "app/input_picture.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "app/ui/parts/fingerprint.h"
#include "app/ui/parts/patch_picture.h"
#include "core/base/assets.h"
#include "core/document/document.h"
#include "core/formats/pictures/picture.h"
#include "core/presets/presets.h"

namespace headscope {
namespace {

/// The drawing of a shipped example, or the mean colours of the patches.
formats::Picture pictureOf(const Document& document, const ui::PatchPicture& patches) {
  if (const auto* series = std::get_if<SeriesSource>(document.source.get())) {
    const std::string drawn = drawingOf(*series->items.front());
    if (!drawn.empty()) return formats::pictureFrom(asset(drawn), drawn);
  }
  return patches.inMeanColours();
}

}  // namespace

const ui::TokenPictures* InputPicture::of(const Document& document) {
  if (!x_.empty() && x_.sameAs(document.input->x)) return pictures_ ? &*pictures_ : nullptr;
  x_ = document.input->x;
  pictures_.reset();
  const auto patches = ui::PatchPicture::of(*document.input, 0);
  if (!patches || !isImage(document.input->readings.channels)) return nullptr;
  const auto picture = std::make_shared<const formats::Picture>(pictureOf(document, *patches));
  pictures_ = ui::TokenPictures{
      x_,
      {ui::Fingerprint("picture of the input").value(),
       ++made_,
       static_cast<int>(picture->width),
       static_cast<int>(picture->height),
       {picture, picture->rgb.data()}},
      patches->patches(ui::Rect::at({0.0F, 0.0F}, {1.0F, 1.0F}), document.config.seqLen)};
  return &*pictures_;
}

}  // namespace headscope
