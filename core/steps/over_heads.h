// overHeads: calls a function for every (batch item, head), spread over threads.
#pragma once

#include "core/steps/over_pieces.h"

namespace headscope {

/// As overPieces does.
template <typename Function>
void overHeads(const AttentionConfig& config, const Execution& execution, Function&& function) {
  overPieces(config.batch * config.numHeads, execution,
             [&](Index piece) { function(piece / config.numHeads, piece % config.numHeads); });
}

}  // namespace headscope
