// Flow picture: the blocks and ribbons of the dimension flow on given columns and lanes.
#pragma once

#include "app/ui/flow/flow_columns.h"
#include "app/ui/flow/flow_lanes.h"
#include "app/ui/flow/flow_layout.h"

namespace headscope::ui {

/// `height` is the picture's, without the labels.
FlowLayout layOutPicture(const AttentionConfig& config, const FlowColumns& columns,
                         const FlowLanes& lanes, float height, float scale);

}  // namespace headscope::ui
