#include "app/host/content_scale.h"

#include <algorithm>
#include <cmath>

#include "app/ui/view_state.h"

namespace headscope::host {

float interfaceScale(float contentScale) {
  const float quarters = std::round(4.0F * contentScale) / 4.0F;
  return quarters > ui::kMinScale ? std::min(quarters, ui::kMaxScale) : ui::kMinScale;
}

float rescaled(float scale, float before, float now) {
  return interfaceScale(scale * interfaceScale(now) / interfaceScale(before));
}

}  // namespace headscope::host
