// Arrow picture: q and k as two arrows in the plane they span, true in length and angle.
#pragma once

#include "app/ui/heads/key_products.h"
#include "app/ui/panel.h"

namespace headscope::ui {

void arrowPicture(const Look& look, const QueryKeyProduct& product, ImVec2 at, ImVec2 size);

}  // namespace headscope::ui
