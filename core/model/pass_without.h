// Pass without: a pass in which one writer of the residual stream adds nothing at a place, and all
// that follows runs again.
#pragma once

#include "core/model/patching.h"
#include "core/model/stream_parts.h"

namespace headscope::model {

/// A writer at the place where it adds nothing.
struct LeftOut {
  Writer writer;
  Index place = 0;

  bool operator==(const LeftOut&) const = default;
};

/// Returns whether a pass can run without a writer; `early`: up to a number within a later layer.
bool canBeLeftOut(const ModelTrace& trace, const Writer& writer, bool early);

/// The patch of a pass in which the writer adds nothing.
Patch patchWithout(const ModelTrace& trace, const LeftOut& out);

/// Runs the pass again; `trace` is that of the decoder, or of a model's only stack. A network of
/// the last layer cannot be left out so. Null where `execution` was cancelled.
ModelTracePtr passWithout(const ModelTracePtr& trace, const LeftOut& out,
                          const ExecutionContext& execution);

}  // namespace headscope::model
