// Head plan: which head takes which description at given sizes, and what stands in the way.
#pragma once

#include <string>
#include <vector>

#include "core/config.h"
#include "core/input/input.h"
#include "core/weights/head_description.h"

namespace headscope {

struct PlannedHead {
  const HeadDescription* description = nullptr;  // null: none is left for it
  std::string why;                               // why it is drawn at random; empty: it is designed
};

/// All but what only building shows: whether d_k and d_model have room for it.
std::vector<PlannedHead> planHeads(const AttentionConfig& config, const InputSource& source,
                                   Positions positions);

}  // namespace headscope
