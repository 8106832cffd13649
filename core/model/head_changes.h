// Head changes: how the outputs of a layer's heads change where one head's output, query, key or
// value is replaced. Keys and values that several heads share change the outputs of all of them.
#pragma once

#include <vector>

#include "core/model/patching.h"

namespace headscope::model {

/// The new output of a head minus its own: (T, d_k).
struct HeadChange {
  Index head = 0;
  Tensor change;
};

/// The changes where a patch of a head, or of its query, key or value, is made in `base`. Empty
/// where `execution` was cancelled. Throws UserError where a number overflows.
std::vector<HeadChange> headChanges(const ModelTrace& base, const Patch& patch,
                                    const ExecutionContext& execution);

/// The stream after a layer's attention (1, T, D) with such changes.
Tensor halfWithChanges(const ModelTrace& base, Index layer, const std::vector<HeadChange>& changes,
                       const ExecutionContext& execution);

}  // namespace headscope::model
