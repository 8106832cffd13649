#include "core/images/measured_shapes.h"

#include <stdexcept>

#include "core/base/asset_json.h"
#include "core/base/assets.h"

namespace headscope::images {

const MeasuredShapes& measuredShapes() {
  static const MeasuredShapes measured = readAsset<std::logic_error>(
      asset("shape_run.json"), "shape_run.json", [](const JsonField& file) {
        MeasuredShapes m;
        m.right = file.at("accuracy").at("shape").number();
        m.touched = file.at("touched_tokens").number();
        for (const JsonField& head : file.at("looks").items()) {
          m.heads.push_back({{head.at("layer").whole(), head.at("head").whole()},
                             head.at("on_shape").number(),
                             head.at("accuracy_without").number()});
        }
        return m;
      });
  return measured;
}

}  // namespace headscope::images
