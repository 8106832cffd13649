// Shape looks: how much of its attention the class token of an image model gives the shape of a
// drawing, head by head.
#pragma once

#include <vector>

#include "core/model/model_trace.h"

namespace headscope::images {

/// For each head, layer by layer, the share of the class token's weights that lies on the patches
/// that the shape touches; `touched` has one entry for each patch.
std::vector<double> looksOnShape(const model::ModelTrace& trace, const std::vector<bool>& touched);

}  // namespace headscope::images
