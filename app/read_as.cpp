#include "app/read_as.h"

#include "app/model_moment.h"
#include "core/formats/clip_folder.h"
#include "core/formats/pictures/picture.h"
#include "core/formats/shipped_picture.h"

namespace headscope {

bool readsAsText(const std::filesystem::path& folder, const std::string& text) {
  const bool picture =
      text.empty() || formats::shippedPicture(text) || formats::isPictureName(text);
  return !picture && formats::isClipFolder(folder);
}

bool readsPictures(const ModelMoment& moment) {
  const bool one = moment.source == nullptr;
  return moment.ofImage() || (one && formats::isClipFolder(moment.folder));
}

}  // namespace headscope
