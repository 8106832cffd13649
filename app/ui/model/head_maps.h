// Head maps: the maps of all heads of a model that show one number for each, with their names and
// explanations.
#pragma once

#include <string>
#include <vector>

#include "app/model_moment.h"

namespace headscope::ui {

/// The key of the map of weights on a drawing's shape.
inline constexpr const char* kShapeMap = "shape";

struct HeadMap {
  std::string name, key, about;
};
/// The maps of a moment's model. `compared`: there is another pass whose weights can be subtracted;
/// `predicts`: its heads act on predictions, which for an encoder are those of the decoder.
std::vector<HeadMap> headMaps(const ModelMoment& moment, bool compared, bool predicts);

/// "sorted by copying"; "in place" for no key.
std::string orderInWords(const std::string& order);

}  // namespace headscope::ui
