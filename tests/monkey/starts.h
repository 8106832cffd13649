// Starts: the documents a monkey begins with.
#pragma once

#include "core/document/document.h"
#include "random.h"

namespace headscope::monkey {

inline constexpr Index kBudget = Index{96} << 20;  // bytes a pass may take

/// Mostly a few tokens of a few coordinates, so that much happens in a second; now and then 96
/// heads, 512 tokens or a preset.
DocumentPtr anyStart(Random& random);

}  // namespace headscope::monkey
